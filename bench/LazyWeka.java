// Weka's side of bench/papers (002 weka, 003) and bench/lazy_speed.py: the same preparation and folds, class
// probabilities and CPU times of Weka's own classifiers. Weka 3.6, package weka of Debian and Ubuntu.
import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Random;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.converters.ArffSaver;
import weka.filters.Filter;
import weka.filters.unsupervised.attribute.Discretize;
import weka.filters.unsupervised.attribute.Remove;
import weka.filters.unsupervised.attribute.ReplaceMissingValues;

public class LazyWeka {
    static final int FOLDS = 10;

    static Instances prepared(String path, String drop) throws Exception {
        Instances data;
        try (BufferedReader in = new BufferedReader(new FileReader(path))) {
            data = new Instances(in);
        }
        data.setClassIndex(data.numAttributes() - 1);
        if (!drop.isEmpty()) {
            Remove remove = new Remove();
            remove.setAttributeIndices("" + (data.attribute(drop).index() + 1));
            remove.setInputFormat(data);
            data = Filter.useFilter(data, remove);
        }
        ReplaceMissingValues replace = new ReplaceMissingValues();
        replace.setInputFormat(data);
        data = Filter.useFilter(data, replace);
        Discretize cut = new Discretize();
        cut.setBins(10);
        cut.setInputFormat(data);
        return Filter.useFilter(data, cut);
    }

    static void write(Instances data, String path) throws Exception {
        ArffSaver saver = new ArffSaver();
        saver.setInstances(data);
        saver.setFile(new File(path));
        saver.writeBatch();
    }

    static double cpu() {
        return 1e-9 * ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static Classifier classifier(String spec) throws Exception {
        String[] words = Utils.splitOptions(spec);
        String name = words[0];
        words[0] = "";
        return Classifier.forName(name, words);
    }

    // proba DATA DROP SEED FOLD FOLDER NAME=SPEC...: FOLDER/train.arff, test.arff, NAME.txt
    static void proba(String[] a) throws Exception {
        Instances data = prepared(a[1], a[2]);
        data.randomize(new Random(Integer.parseInt(a[3])));
        data.stratify(FOLDS);
        Instances train = data.trainCV(FOLDS, Integer.parseInt(a[4]));
        Instances test = data.testCV(FOLDS, Integer.parseInt(a[4]));
        write(train, a[5] + "/train.arff");
        write(test, a[5] + "/test.arff");
        for (int k = 6; k < a.length; k++) {
            int at = a[k].indexOf('=');
            Classifier c = classifier(a[k].substring(at + 1));
            c.buildClassifier(train);
            try (PrintWriter out = new PrintWriter(a[5] + "/" + a[k].substring(0, at) + ".txt")) {
                for (int i = 0; i < test.numInstances(); i++) {
                    StringBuilder line = new StringBuilder();
                    for (double p : c.distributionForInstance(test.instance(i)))
                        line.append(line.length() > 0 ? " " : "").append(p);
                    out.println(line);
                }
            }
        }
    }

    // time DATA RUNS NAME=SPEC...: CPU seconds of training and testing, best of RUNS; on one fold of ten,
    // on all ten when NAME begins with a star
    static void time(String[] a) throws Exception {
        Instances data = prepared(a[1], "");
        data.randomize(new Random(1));
        data.stratify(FOLDS);
        for (int k = 3; k < a.length; k++) {
            int at = a[k].indexOf('=');
            double fit = 1e9, ask = 1e9;
            int n = 0;
            for (int run = 0; run < Integer.parseInt(a[2]); run++) {
                double f = 0, q = 0;
                boolean all = a[k].charAt(0) == '*';
                n = 0;
                for (int fold = 0; fold < (all ? FOLDS : 1); fold++) {
                    Instances train = data.trainCV(FOLDS, fold), test = data.testCV(FOLDS, fold);
                    Classifier c = classifier(a[k].substring(at + 1));
                    double begun = cpu();
                    c.buildClassifier(train);
                    double built = cpu();
                    for (int i = 0; i < test.numInstances(); i++)
                        c.distributionForInstance(test.instance(i));
                    f += built - begun;
                    q += cpu() - built;
                    n += test.numInstances();
                }
                fit = Math.min(fit, f);
                ask = Math.min(ask, q);
            }
            System.out.println(a[k].substring(0, at) + " " + fit + " " + ask + " " + n);
        }
    }

    // folds DATA FOLDER: FOLDER/train0.arff, test0.arff, ... for seed 1
    static void folds(String[] a) throws Exception {
        Instances data = prepared(a[1], "");
        data.randomize(new Random(1));
        data.stratify(FOLDS);
        for (int fold = 0; fold < FOLDS; fold++) {
            write(data.trainCV(FOLDS, fold), a[2] + "/train" + fold + ".arff");
            write(data.testCV(FOLDS, fold), a[2] + "/test" + fold + ".arff");
        }
    }

    static Instances read(String path) throws Exception {
        try (BufferedReader in = new BufferedReader(new FileReader(path))) {
            Instances data = new Instances(in);
            data.setClassIndex(data.numAttributes() - 1);
            return data;
        }
    }

    // labels TRAIN TEST SPEC: the class a classifier gives to each row of TEST, a line each
    static void labels(String[] a) throws Exception {
        Instances train = read(a[1]), test = read(a[2]);
        Classifier c = classifier(a[3]);
        c.buildClassifier(train);
        for (int i = 0; i < test.numInstances(); i++)
            System.out.println(train.classAttribute().value((int) c.classifyInstance(test.instance(i))));
    }

    public static void main(String[] a) throws Exception {
        if (a[0].equals("proba")) proba(a);
        else if (a[0].equals("labels")) labels(a);
        else if (a[0].equals("folds")) folds(a);
        else time(a);
    }
}
