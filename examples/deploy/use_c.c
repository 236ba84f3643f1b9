/* use_c.c - score one row with the C file that `heft export` wrote, without libheft. It is compiled
 * with that file; the command is in the README of this folder. */
#include "model.h"
#include <stdio.h>

int main(void)
{
    double    proba[2];
    model_row row = {.age = 30,
                     .income = 28000,
                     .amount = 6000,
                     .housing = "rents",
                     .work = "employed",
                     .late_payments = 1};
    model_predict_row(&row, proba);
    printf("C: P(yes) = %.4f\n", proba[1]);
    return 0;
}
