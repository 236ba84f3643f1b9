"""One estimator for each method. Written by generate.py from the library's option tables;
do not edit."""

from __future__ import annotations

from typing import Any

from ._base import HeftClassifier, WeightedClassifier
from ._partial import PartialClassifier


class Auto(WeightedClassifier):
    """An additive boosted model of single attributes, pairs and triples.

    Source: heft's own; docs/auto.md.

    Default preparation: prior='smoothed'.

    A row is a row: sample_weight is divided by its mean, so that weights say how rows compare, and
    rows are held out whole during training. A row of weight 2 is therefore not the same as the row
    twice, unlike with the other methods. Copies of rows are held out together.

    Parameters
    ----------
    effort : {'count', 'lean', 'full'}, default 'lean'
        count: counted evidence only; lean, full: learned and boosted evidence too, with fewer or
        more passes and trees
    order : {1, 2, 3}, default 3
        most attributes in one term of boosted evidence
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes
    time_limit : float, default None
        seconds after which fit ends with the best model so far, which then depends on the speed of
        the machine (a warning says so); None: no limit

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import Auto
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> Auto().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "auto"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "effort": "effort",
        "order": "order",
    }

    def __init__(
        self,
        *,
        effort: str = 'lean',
        order: int = 3,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.effort = effort
        self.order = order
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight
        self.time_limit = time_limit


class NB(PartialClassifier):
    """Naive Bayes: tables for nominal attributes, normal densities for numeric ones.

    Source: the baseline of all five papers; point masses: the figures of Kim and Lee 2022.

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='smoothed'. Sparse data: yes.

    Parameters
    ----------
    variance : {'shrunk', 'class'}, default 'shrunk'
        of numbers in a class: shrunk by one row towards the pooled variance within classes; class:
        its own, as in the papers, with point masses
    floor : float or 'none', default 'none'
        under variance=class, standard deviation of a number in a class where all its values are
        equal; none: a point mass (a number above 0 to 1e100, or none)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import NB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> NB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "nb"
    _sparse = True
    _missing = True
    _explains = True
    _options = {
        "variance": "variance",
        "floor": "floor",
    }

    def __init__(
        self,
        *,
        variance: str = 'shrunk',
        floor: float | str = 'none',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.variance = variance
        self.floor = floor
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class GNB(PartialClassifier):
    """Naive Bayes with Weka's rounded normal densities.

    Source: John and Langley 1995; Weka 3.6 NaiveBayes, the column GNB of Wang, Ren and Bai 2020.

    John and Langley (1995). Estimating continuous distributions in Bayesian classifiers.
      Proceedings of the Conference on Uncertainty in Artificial Intelligence, 338-345.

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: smoothing='laplace', prior='smoothed'. Sparse data: yes.

    Parameters
    ----------
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import GNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> GNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "gnb"
    _sparse = True
    _missing = True
    _explains = True
    _options = {}

    def __init__(
        self,
        *,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class FlexNB(PartialClassifier):
    """Naive Bayes with kernel densities, bandwidth 1/sqrt(n_c) on data scaled to [0,1].

    Source: John and Langley 1995, as compared in Chen and Wang 2012.

    John and Langley (1995). Estimating continuous distributions in Bayesian classifiers.
      Proceedings of the Conference on Uncertainty in Artificial Intelligence, 338-345.

    Chen and Wang (2012). Automated feature weighting in naive Bayes for high-dimensional data
      classification. Proceedings of the 21st ACM International Conference on Information and
      Knowledge Management (CIKM).

    Default preparation: scale='minmax', smoothing='laplace', prior='smoothed'. Sparse data: yes.

    Parameters
    ----------
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import FlexNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> FlexNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "flexnb"
    _sparse = True
    _missing = True
    _explains = True
    _options = {}

    def __init__(
        self,
        *,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class ENB(WeightedClassifier):
    """Attribute weights that minimise the exponential loss.

    Source: Kim and Lee 2022, (8) (10) (21)-(24).

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='frequency'.

    Parameters
    ----------
    objective : {'log', 'sum'}, default 'log'
        minimise log(1 + loss), or the loss itself as printed in the paper
    max_iter : int, default 1000
        maximum number of L-BFGS-B iterations; 0 is naive Bayes (a whole number from 0 to
        1000000000)
    tol : float, default 1e-09
        stop when three iterations in a row lower the objective by at most tol * max(|f|, 1) (a
        number from 0 to 1)
    pgtol : float, default 1e-05
        stop when no component of the projected gradient exceeds this (columns divided by the root
        of their mean size) (a number from 0 to 1e300)
    memory : int, default 5
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    scale_ : {'root', 'none'}, default 'root'
        columns of evidence divided by the root of their mean size, which takes fewer iterations to
        the same minimum; or as they are
    start : float, default 1
        starting value of every weight (a number from 0 to 1000000)
    bound : float or 'none', default 'none'
        upper bound on the weights (a number above 0 to 1e100, or none)
    l2 : float, default 0
        adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes (a number from 0
        to 1e100)
    link : int, default 1
        P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb (a whole number from 1 to
        2)
    multiclass : {'ovo', 'direct', 'auto'}, default 'auto'
        more than two classes: vote over class pairs, or one set of weights for all classes; auto
        votes with up to 100 classes
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import ENB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> ENB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "enb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "objective": "objective",
        "max_iter": "max-iter",
        "tol": "tol",
        "pgtol": "pgtol",
        "memory": "memory",
        "scale_": "scale",
        "start": "start",
        "bound": "bound",
        "l2": "l2",
        "link": "link",
        "multiclass": "multiclass",
    }

    def __init__(
        self,
        *,
        objective: str = 'log',
        max_iter: int = 1000,
        tol: float = 1e-09,
        pgtol: float = 1e-05,
        memory: int = 5,
        scale_: str = 'root',
        start: float = 1,
        bound: float | str = 'none',
        l2: float = 0,
        link: int = 1,
        multiclass: str = 'auto',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.objective = objective
        self.max_iter = max_iter
        self.tol = tol
        self.pgtol = pgtol
        self.memory = memory
        self.scale_ = scale_
        self.start = start
        self.bound = bound
        self.l2 = l2
        self.link = link
        self.multiclass = multiclass
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class DNB(WeightedClassifier):
    """Attribute weights that minimise the deviance.

    Source: Kim and Lee 2022, (8) (13) (21)-(24).

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='frequency'.

    Parameters
    ----------
    max_iter : int, default 1000
        maximum number of L-BFGS-B iterations; 0 is naive Bayes (a whole number from 0 to
        1000000000)
    tol : float, default 1e-09
        stop when three iterations in a row lower the objective by at most tol * max(|f|, 1) (a
        number from 0 to 1)
    pgtol : float, default 1e-05
        stop when no component of the projected gradient exceeds this (columns divided by the root
        of their mean size) (a number from 0 to 1e300)
    memory : int, default 5
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    scale_ : {'root', 'none'}, default 'root'
        columns of evidence divided by the root of their mean size, which takes fewer iterations to
        the same minimum; or as they are
    start : float, default 1
        starting value of every weight (a number from 0 to 1000000)
    bound : float or 'none', default 'none'
        upper bound on the weights (a number above 0 to 1e100, or none)
    l2 : float, default 0
        adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes (a number from 0
        to 1e100)
    link : int, default 1
        P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb (a whole number from 1 to
        2)
    multiclass : {'ovo', 'direct', 'auto'}, default 'auto'
        more than two classes: vote over class pairs, or one set of weights for all classes; auto
        votes with up to 100 classes
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import DNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> DNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "dnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "max_iter": "max-iter",
        "tol": "tol",
        "pgtol": "pgtol",
        "memory": "memory",
        "scale_": "scale",
        "start": "start",
        "bound": "bound",
        "l2": "l2",
        "link": "link",
        "multiclass": "multiclass",
    }

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-09,
        pgtol: float = 1e-05,
        memory: int = 5,
        scale_: str = 'root',
        start: float = 1,
        bound: float | str = 'none',
        l2: float = 0,
        link: int = 1,
        multiclass: str = 'auto',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.pgtol = pgtol
        self.memory = memory
        self.scale_ = scale_
        self.start = start
        self.bound = bound
        self.l2 = l2
        self.link = link
        self.multiclass = multiclass
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class LNB(WeightedClassifier):
    """Attribute weights that maximise the conditional likelihood.

    Source: Kim and Lee 2022, (8) (14) (21)-(24).

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='frequency'.

    Parameters
    ----------
    max_iter : int, default 1000
        maximum number of L-BFGS-B iterations; 0 is naive Bayes (a whole number from 0 to
        1000000000)
    tol : float, default 1e-09
        stop when three iterations in a row lower the objective by at most tol * max(|f|, 1) (a
        number from 0 to 1)
    pgtol : float, default 1e-05
        stop when no component of the projected gradient exceeds this (columns divided by the root
        of their mean size) (a number from 0 to 1e300)
    memory : int, default 5
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    scale_ : {'root', 'none'}, default 'root'
        columns of evidence divided by the root of their mean size, which takes fewer iterations to
        the same minimum; or as they are
    start : float, default 1
        starting value of every weight (a number from 0 to 1000000)
    bound : float or 'none', default 'none'
        upper bound on the weights (a number above 0 to 1e100, or none)
    l2 : float, default 0
        adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes (a number from 0
        to 1e100)
    link : int, default 1
        P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb (a whole number from 1 to
        2)
    multiclass : {'ovo', 'direct', 'auto'}, default 'auto'
        more than two classes: vote over class pairs, or one set of weights for all classes; auto
        votes with up to 100 classes
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import LNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> LNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "lnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "max_iter": "max-iter",
        "tol": "tol",
        "pgtol": "pgtol",
        "memory": "memory",
        "scale_": "scale",
        "start": "start",
        "bound": "bound",
        "l2": "l2",
        "link": "link",
        "multiclass": "multiclass",
    }

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-09,
        pgtol: float = 1e-05,
        memory: int = 5,
        scale_: str = 'root',
        start: float = 1,
        bound: float | str = 'none',
        l2: float = 0,
        link: int = 1,
        multiclass: str = 'auto',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.pgtol = pgtol
        self.memory = memory
        self.scale_ = scale_
        self.start = start
        self.bound = bound
        self.l2 = l2
        self.link = link
        self.multiclass = multiclass
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class GDNB(WeightedClassifier):
    """Attribute and prior weights that maximise the conditional likelihood.

    Source: Kim and Lee 2022, (8) (19) (21)-(24).

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='frequency'.

    Parameters
    ----------
    max_iter : int, default 1000
        maximum number of L-BFGS-B iterations; 0 is naive Bayes (a whole number from 0 to
        1000000000)
    tol : float, default 1e-09
        stop when three iterations in a row lower the objective by at most tol * max(|f|, 1) (a
        number from 0 to 1)
    pgtol : float, default 1e-05
        stop when no component of the projected gradient exceeds this (columns divided by the root
        of their mean size) (a number from 0 to 1e300)
    memory : int, default 5
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    scale_ : {'root', 'none'}, default 'root'
        columns of evidence divided by the root of their mean size, which takes fewer iterations to
        the same minimum; or as they are
    start : float, default 1
        starting value of every weight (a number from 0 to 1000000)
    bound : float or 'none', default 'none'
        upper bound on the weights (a number above 0 to 1e100, or none)
    l2 : float, default 0
        adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes (a number from 0
        to 1e100)
    link : int, default 1
        P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb (a whole number from 1 to
        2)
    multiclass : {'ovo', 'direct', 'auto'}, default 'auto'
        more than two classes: vote over class pairs, or one set of weights for all classes; auto
        votes with up to 100 classes
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import GDNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> GDNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "gdnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "max_iter": "max-iter",
        "tol": "tol",
        "pgtol": "pgtol",
        "memory": "memory",
        "scale_": "scale",
        "start": "start",
        "bound": "bound",
        "l2": "l2",
        "link": "link",
        "multiclass": "multiclass",
    }

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-09,
        pgtol: float = 1e-05,
        memory: int = 5,
        scale_: str = 'root',
        start: float = 1,
        bound: float | str = 'none',
        l2: float = 0,
        link: int = 1,
        multiclass: str = 'auto',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.pgtol = pgtol
        self.memory = memory
        self.scale_ = scale_
        self.start = start
        self.bound = bound
        self.l2 = l2
        self.link = link
        self.multiclass = multiclass
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class MSE(WeightedClassifier):
    """Attribute weights that minimise the squared error.

    Source: Zaidi et al. 2013, for two classes as compared in Kim and Lee 2022, (8) (21)-(24).

    Zaidi, Cerquides, Carman and Webb (2013). Alleviating naive Bayes attribute independence
      assumption by attribute weighting. Journal of Machine Learning Research 14, 1947-1988.

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='frequency'.

    Parameters
    ----------
    max_iter : int, default 1000
        maximum number of L-BFGS-B iterations; 0 is naive Bayes (a whole number from 0 to
        1000000000)
    tol : float, default 1e-09
        stop when three iterations in a row lower the objective by at most tol * max(|f|, 1) (a
        number from 0 to 1)
    pgtol : float, default 1e-05
        stop when no component of the projected gradient exceeds this (columns divided by the root
        of their mean size) (a number from 0 to 1e300)
    memory : int, default 5
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    scale_ : {'root', 'none'}, default 'root'
        columns of evidence divided by the root of their mean size, which takes fewer iterations to
        the same minimum; or as they are
    start : float, default 1
        starting value of every weight (a number from 0 to 1000000)
    bound : float or 'none', default 'none'
        upper bound on the weights (a number above 0 to 1e100, or none)
    l2 : float, default 0
        adds l2 * sum (w - 1)^2 to the objective, which pulls towards naive Bayes (a number from 0
        to 1e100)
    link : int, default 1
        P = 1/(1 + exp(-link f)); 2 is the calibrated one for enb and dnb (a whole number from 1 to
        2)
    multiclass : {'ovo', 'direct', 'auto'}, default 'auto'
        more than two classes: vote over class pairs, or one set of weights for all classes; auto
        votes with up to 100 classes
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import MSE
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> MSE().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "mse"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "max_iter": "max-iter",
        "tol": "tol",
        "pgtol": "pgtol",
        "memory": "memory",
        "scale_": "scale",
        "start": "start",
        "bound": "bound",
        "l2": "l2",
        "link": "link",
        "multiclass": "multiclass",
    }

    def __init__(
        self,
        *,
        max_iter: int = 1000,
        tol: float = 1e-09,
        pgtol: float = 1e-05,
        memory: int = 5,
        scale_: str = 'root',
        start: float = 1,
        bound: float | str = 'none',
        l2: float = 0,
        link: int = 1,
        multiclass: str = 'auto',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.pgtol = pgtol
        self.memory = memory
        self.scale_ = scale_
        self.start = start
        self.bound = bound
        self.l2 = l2
        self.link = link
        self.multiclass = multiclass
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class SBC(WeightedClassifier):
    """Naive Bayes over attributes chosen greedily by training accuracy.

    Source: Langley and Sage 1994.

    Langley and Sage (1994). Induction of selective Bayesian classifiers. Proceedings of the
      Conference on Uncertainty in Artificial Intelligence, 399-406.

    Default preparation: smoothing='laplace', prior='smoothed'.

    Parameters
    ----------
    judge : {'training', 'left-out'}, default 'training'
        training: count rows right by tables that include them; left-out: by tables of all other
        rows
    start : {'none', 'all'}, default 'none'
        start with no attribute and add some, or with all and remove some
    max_eval : int, default 1000000
        maximum number of moves tried; 0 keeps the starting set (a whole number from 0 to
        1000000000000)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import SBC
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> SBC().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "sbc"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "judge": "judge",
        "start": "start",
        "max_eval": "max-eval",
    }

    def __init__(
        self,
        *,
        judge: str = 'training',
        start: str = 'none',
        max_eval: int = 1000000,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.judge = judge
        self.start = start
        self.max_eval = max_eval
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class KLNB(PartialClassifier):
    """Attributes weighted by the Kullback-Leibler measure: their gain ratio.

    Source: Lee, Gutierrez and Dou 2011.

    Lee, Gutierrez and Dou (2011). Calculating feature weights in naive Bayes with Kullback-Leibler
      measure. Proceedings of the 11th IEEE International Conference on Data Mining, 1146-1151.

    Default preparation: smoothing='laplace', prior='smoothed'. Sparse data: yes.

    Parameters
    ----------
    normalise : {'mean', 'sum', 'none'}, default 'mean'
        scale the weights to mean 1 (the original), to sum 1, or not at all
    bins : int or 'mdl', default 10
        number of equal-width intervals of a numeric attribute when its weight is computed, or mdl
        (a whole number from 2 to 1000, or mdl)
    blend : float, default 1
        1: use the weights; 0: set every weight to 1; between: 1 + blend (weight - 1) (a number from
        0 to 1)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import KLNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> KLNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "klnb"
    _sparse = True
    _missing = True
    _explains = True
    _options = {
        "normalise": "normalise",
        "bins": "bins",
        "blend": "blend",
    }

    def __init__(
        self,
        *,
        normalise: str = 'mean',
        bins: int | str = 10,
        blend: float = 1,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.normalise = normalise
        self.bins = bins
        self.blend = blend
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class TreeNB(WeightedClassifier):
    """Attributes weighted by how early a decision tree tests them.

    Source: Hall 2007; one tree, as Kim and Lee 2022 describe it.

    Hall (2007). A decision tree-based attribute weighting filter for naive Bayes. Knowledge-Based
      Systems 20(2), 120-126.

    Kim and Lee (2022). Exponential loss minimization for learning weighted naive Bayes classifiers.
      IEEE Access 10.

    Default preparation: smoothing='laplace', prior='smoothed'.

    Parameters
    ----------
    split : {'gain', 'ratio'}, default 'gain'
        the tree splits by information gain, or by gain ratio
    trees : int, default 1
        1: one tree on all rows; more: the mean over trees on bootstrap samples (a whole number from
        1 to 1000)
    min_rows : int, default 2
        a node with fewer rows is not split; 2: the tree is grown fully (a whole number from 2 to
        1000000000)
    bins : int or 'mdl', default 10
        number of equal-width intervals of a numeric attribute when its weight is computed, or mdl
        (a whole number from 2 to 1000, or mdl)
    blend : float, default 1
        1: use the weights; 0: set every weight to 1; between: 1 + blend (weight - 1) (a number from
        0 to 1)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import TreeNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> TreeNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "treenb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "split": "split",
        "trees": "trees",
        "min_rows": "min-rows",
        "bins": "bins",
        "blend": "blend",
    }

    def __init__(
        self,
        *,
        split: str = 'gain',
        trees: int = 1,
        min_rows: int = 2,
        bins: int | str = 10,
        blend: float = 1,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.split = split
        self.trees = trees
        self.min_rows = min_rows
        self.bins = bins
        self.blend = blend
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class DFWNB(PartialClassifier):
    """Attributes selected by CFS count double, in the estimates and in the score.

    Source: Jiang et al. 2016; CFS by Hall 2000.

    Jiang, Li, Wang and Zhang (2016). Deep feature weighting for naive Bayes and its application to
      text classification. Engineering Applications of Artificial Intelligence 52, 26-39.

    Hall (2000). Correlation-based feature selection of discrete and numeric class machine learning.
      Proceedings of the 17th International Conference on Machine Learning, 359-366.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    weight : float, default 2
        weight of the attributes that CFS selects; the others have weight 1 (a number from 0 to
        1000)
    stale : int, default 5
        end the search after this many expansions without a better set (a whole number from 1 to
        100)
    unrelated : {'weka', 'zero'}, default 'weka'
        correlation of two unrelated attributes: 1, as in Weka, or 0
    bins : int or 'mdl', default 'mdl'
        number of equal-width intervals of a numeric attribute when its weight is computed, or mdl
        (a whole number from 2 to 1000, or mdl)
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import DFWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> DFWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "dfwnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "weight": "weight",
        "stale": "stale",
        "unrelated": "unrelated",
        "bins": "bins",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        weight: float = 2,
        stale: int = 5,
        unrelated: str = 'weka',
        bins: int | str = 'mdl',
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.weight = weight
        self.stale = stale
        self.unrelated = unrelated
        self.bins = bins
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class CFWNB(PartialClassifier):
    """Attributes weighted by their relevance to the class minus their redundancy.

    Source: Jiang et al. 2019.

    Jiang, Zhang, Li and Wu (2019). A correlation-based feature weighting filter for naive Bayes.
      IEEE Transactions on Knowledge and Data Engineering 31(2), 201-213.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    bins : int or 'mdl', default 'mdl'
        number of equal-width intervals of a numeric attribute when its weight is computed, or mdl
        (a whole number from 2 to 1000, or mdl)
    blend : float, default 1
        1: use the weights; 0: set every weight to 1; between: 1 + blend (weight - 1) (a number from
        0 to 1)
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import CFWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> CFWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "cfwnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "bins": "bins",
        "blend": "blend",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        bins: int | str = 'mdl',
        blend: float = 1,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.bins = bins
        self.blend = blend
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class WANBIA(WeightedClassifier):
    """One weight per attribute that minimises the squared error.

    Source: Zaidi et al. 2013, as in Wang, Ren and Bai 2020, (5) (8) (13) (14) (16) (21).

    Zaidi, Cerquides, Carman and Webb (2013). Alleviating naive Bayes attribute independence
      assumption by attribute weighting. Journal of Machine Learning Research 14, 1947-1988.

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    tol : float, default 1e-07
        stop when the error falls by at most this share, three times in a row (21) (a number from 0
        to 1)
    max_iter : int, default 1000
        maximum number of iterations; 0 keeps every weight at 1 (a whole number from 0 to 1000000)
    memory : int, default 10
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    bounds : tuple of two floats or 'none', default (0, 1)
        limits of the weights (LOW,HIGH, or none)
    l2 : float, default 0
        penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2 (a number from 0 to
        1000000000000)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import WANBIA
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> WANBIA().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "wanbia"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "tol": "tol",
        "max_iter": "max-iter",
        "memory": "memory",
        "bounds": "bounds",
        "l2": "l2",
    }

    def __init__(
        self,
        *,
        tol: float = 1e-07,
        max_iter: int = 1000,
        memory: int = 10,
        bounds: tuple[float, float] | str = (0, 1),
        l2: float = 0,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.bounds = bounds
        self.l2 = l2
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class CAWNB(WeightedClassifier):
    """One weight per class and attribute that minimises the squared error.

    Source: Jiang et al. 2019, as in Wang, Ren and Bai 2020, (5) (7) (13) (14) (15) (21).

    Jiang, Zhang, Yu and Wang (2019). Class-specific attribute weighted naive Bayes. Pattern
      Recognition 88, 321-330.

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    tol : float, default 1e-07
        stop when the error falls by at most this share, three times in a row (21) (a number from 0
        to 1)
    max_iter : int, default 1000
        maximum number of iterations; 0 keeps every weight at 1 (a whole number from 0 to 1000000)
    memory : int, default 10
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    bounds : tuple of two floats or 'none', default (0, 1)
        limits of the weights (LOW,HIGH, or none)
    l2 : float, default 0
        penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2 (a number from 0 to
        1000000000000)
    gradient : {'true', 'printed'}, default 'true'
        gradient of the class weights: the true one, or (15) as printed in the paper
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import CAWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> CAWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "cawnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "tol": "tol",
        "max_iter": "max-iter",
        "memory": "memory",
        "bounds": "bounds",
        "l2": "l2",
        "gradient": "gradient",
    }

    def __init__(
        self,
        *,
        tol: float = 1e-07,
        max_iter: int = 1000,
        memory: int = 10,
        bounds: tuple[float, float] | str = (0, 1),
        l2: float = 0,
        gradient: str = 'true',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.bounds = bounds
        self.l2 = l2
        self.gradient = gradient
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class RNB(WeightedClassifier):
    """Class-specific weights, regularised by shared ones.

    Source: Wang, Ren and Bai 2020, (5) (7)-(9) (13)-(21).

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    tol : float, default 1e-07
        stop when the error falls by at most this share, three times in a row (21) (a number from 0
        to 1)
    max_iter : int, default 1000
        maximum number of iterations; 0 keeps every weight at 1 (a whole number from 0 to 1000000)
    memory : int, default 10
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    bounds : tuple of two floats or 'none', default (0, 1)
        limits of the weights (LOW,HIGH, or none)
    l2 : float, default 0
        penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2 (a number from 0 to
        1000000000000)
    gradient : {'true', 'printed'}, default 'true'
        gradient of the class weights: the true one, or (15) as printed in the paper
    alpha : float or 'learned', default 'learned'
        share of the class-specific posterior: learned, or fixed at a number (a number from 0 to 1,
        or learned)
    solver : {'lbfgsb', 'descent'}, default 'lbfgsb'
        minimiser: L-BFGS-B, or the steepest descent of (18)-(20) with a line search, which ends at
        the first iteration that (21) calls slow
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import RNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> RNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "rnb"
    _sparse = False
    _missing = True
    _explains = False
    _options = {
        "tol": "tol",
        "max_iter": "max-iter",
        "memory": "memory",
        "bounds": "bounds",
        "l2": "l2",
        "gradient": "gradient",
        "alpha": "alpha",
        "solver": "solver",
    }

    def __init__(
        self,
        *,
        tol: float = 1e-07,
        max_iter: int = 1000,
        memory: int = 10,
        bounds: tuple[float, float] | str = (0, 1),
        l2: float = 0,
        gradient: str = 'true',
        alpha: float | str = 'learned',
        solver: str = 'lbfgsb',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.bounds = bounds
        self.l2 = l2
        self.gradient = gradient
        self.alpha = alpha
        self.solver = solver
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class CWANB(WeightedClassifier):
    """Weights that minimise the squared error, starting from those of cfwnb.

    Source: a reading of CWANB as compared in Wang, Ren and Bai 2020: cfwnb as the start of wanbia,
    (5) (8).

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    tol : float, default 1e-07
        stop when the error falls by at most this share, three times in a row (a number from 0 to 1)
    max_iter : int, default 1000
        maximum number of iterations; 0 keeps the weights of cfwnb (a whole number from 0 to
        1000000)
    memory : int, default 10
        number of correction pairs that L-BFGS-B keeps (a whole number from 1 to 100)
    bounds : tuple of two floats or 'none', default (0, 1)
        limits of the weights (LOW,HIGH, or none)
    l2 : float, default 0
        penalty that pulls the weights towards 1: l2/2 sum (weight - 1)^2 (a number from 0 to
        1000000000000)
    bins : int or 'mdl', default 'mdl'
        number of equal-width intervals of a numeric attribute when its weight is computed, or mdl
        (a whole number from 2 to 1000, or mdl)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import CWANB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> CWANB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "cwanb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "tol": "tol",
        "max_iter": "max-iter",
        "memory": "memory",
        "bounds": "bounds",
        "l2": "l2",
        "bins": "bins",
    }

    def __init__(
        self,
        *,
        tol: float = 1e-07,
        max_iter: int = 1000,
        memory: int = 10,
        bounds: tuple[float, float] | str = (0, 1),
        l2: float = 0,
        bins: int | str = 'mdl',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.memory = memory
        self.bounds = bounds
        self.l2 = l2
        self.bins = bins
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class DEAWNB(WeightedClassifier):
    """Weights that predict the most training rows right, found by differential evolution.

    Source: Wu and Cai 2011; a reading, as compared in Wang, Ren and Bai 2020.

    Wu and Cai (2011). Attribute weighting via differential evolution algorithm for attribute
      weighted naive Bayes (WNB). Journal of Computational Information Systems 7(5), 1672-1679.

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    population : int, default 20
        number of members of a generation (a whole number from 4 to 10000)
    generations : int, default 50
        number of generations after the first, random one (a whole number from 0 to 1000000)
    f : float, default 0.5
        factor of the difference of two members that is added to a third (a number from 0 to 2)
    cr : float, default 0.9
        probability that a weight is taken from the mutated member (a number from 0 to 1)
    max_eval : int, default 1000000
        maximum number of points tried; 1 keeps every weight at 1 (a whole number from 1 to
        1000000000000)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import DEAWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> DEAWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "deawnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "population": "population",
        "generations": "generations",
        "f": "f",
        "cr": "cr",
        "max_eval": "max-eval",
    }

    def __init__(
        self,
        *,
        population: int = 20,
        generations: int = 50,
        f: float = 0.5,
        cr: float = 0.9,
        max_eval: int = 1000000,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.population = population
        self.generations = generations
        self.f = f
        self.cr = cr
        self.max_eval = max_eval
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class TCSFSNB(WeightedClassifier):
    """Attributes worth their cost, chosen greedily: an interpretation of TCSFS-NB.

    Source: a reading of TCSFS-NB as compared in Wang, Ren and Bai 2020.

    Wang, Ren and Bai (2020). A regularized attribute weighting framework for naive Bayes. IEEE
      Access 8, 225639-225649, doi:10.1109/ACCESS.2020.3044946.

    Default preparation: impute='mean', discretize='mdl', smoothing='paper', prior='smoothed'.

    Parameters
    ----------
    tradeoff : float, default 0.01
        accuracy that must be gained to pay for all attributes together (a number from 0 to 1000000)
    costs : str, default ''
        CSV file with a line NAME,COST for every attribute; none: each costs 1
    judge : {'training', 'left-out'}, default 'left-out'
        training: count rows right by tables that include them; left-out: by tables of all other
        rows
    start : {'none', 'all'}, default 'none'
        start with no attribute and add some, or with all and remove some
    max_eval : int, default 1000000
        maximum number of moves tried; 0 keeps the starting set (a whole number from 0 to
        1000000000000)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import TCSFSNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> TCSFSNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "tcsfsnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "tradeoff": "tradeoff",
        "costs": "costs",
        "judge": "judge",
        "start": "start",
        "max_eval": "max-eval",
    }

    def __init__(
        self,
        *,
        tradeoff: float = 0.01,
        costs: str = '',
        judge: str = 'left-out',
        start: str = 'none',
        max_eval: int = 1000000,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tradeoff = tradeoff
        self.costs = costs
        self.judge = judge
        self.start = start
        self.max_eval = max_eval
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class VWNB(WeightedClassifier):
    """One weight per attribute value.

    Source: Lee 2015, as Wu and Liu report it.

    Lee (2015). A gradient approach for value weighted classification learning in naive Bayes.
      Knowledge-Based Systems.

    Wu and Liu (undated). A gradient approach for value weighted classification learning in naive
      Bayes: a report on the method of Chang-Hwan Lee. student report, course CS 584.

    Default preparation: discretize='mdl', smoothing='laplace', prior='smoothed'.

    Parameters
    ----------
    lambda_ : float, default 2
        strength of the pull towards center (a number from 0 to 1000000000000)
    center : float, default 0
        value the weights are pulled towards; 1 is naive Bayes, the milder choice (a number from
        -1000000 to 1000000)
    update : {'descent', 'printed'}, default 'descent'
        descent: steps that lower E; printed: the update as the report prints it, which comes nearer
        to its figures
    eta : float or 'auto', default 'auto'
        first step; auto: 1/(lambda + 0.05 rows), or 0.2 with update=printed (a number above 0 to
        1000000, or auto)
    tol : float, default 1e-06
        stop when E falls by at most this share of itself in three passes in a row (a number from 0
        to 1)
    maxit : int or 'auto', default 'auto'
        maximum number of passes; 0 keeps every weight at 1; auto: 500, or 60 with update=printed (a
        whole number from 0 to 1000000, or auto)
    solver : {'descent', 'lbfgs'}, default 'descent'
        descent defines the method; lbfgs is faster and may find another minimum
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import VWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> VWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "vwnb"
    _sparse = False
    _missing = True
    _explains = True
    _options = {
        "lambda_": "lambda",
        "center": "center",
        "update": "update",
        "eta": "eta",
        "tol": "tol",
        "maxit": "maxit",
        "solver": "solver",
    }

    def __init__(
        self,
        *,
        lambda_: float = 2,
        center: float = 0,
        update: str = 'descent',
        eta: float | str = 'auto',
        tol: float = 1e-06,
        maxit: int | str = 'auto',
        solver: str = 'descent',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.center = center
        self.update = update
        self.eta = eta
        self.tol = tol
        self.maxit = maxit
        self.solver = solver
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class SWNB(WeightedClassifier):
    """Subspace weights for high-dimensional and sparse data.

    Source: Chen and Wang 2012, (7) (15)-(20).

    Chen and Wang (2012). Automated feature weighting in naive Bayes for high-dimensional data
      classification. Proceedings of the 21st ACM International Conference on Information and
      Knowledge Management (CIKM).

    Default preparation: scale='range', prior='frequency'. Sparse data: yes.

    Parameters
    ----------
    tau : float, default 7
        controls how few attributes get a large weight (a number from 0 to 1000)
    s : float, default 0.5
        spread of the weights' logits; 0 makes all weights equal (a number from 0 to 100)
    tol : float, default 1e-05
        stop when no weight changes by more than this (a number above 0 to 1)
    passes : int, default 100
        maximum number of passes per class (a whole number from 0 to 1000000)
    damp : float or 'auto', default 'auto'
        fraction of each step that is taken; 1 is the iteration of the paper (a number above 0 to 1,
        or auto)
    threshold_ : float, default 0.1
        weight from which an attribute counts as selected (a number from 0 to 1)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import SWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> SWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "swnb"
    _sparse = True
    _missing = True
    _explains = True
    _options = {
        "tau": "tau",
        "s": "s",
        "tol": "tol",
        "passes": "passes",
        "damp": "damp",
        "threshold_": "threshold",
    }

    def __init__(
        self,
        *,
        tau: float = 7,
        s: float = 0.5,
        tol: float = 1e-05,
        passes: int = 100,
        damp: float | str = 'auto',
        threshold_: float = 0.1,
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tau = tau
        self.s = s
        self.tol = tol
        self.passes = passes
        self.damp = damp
        self.threshold_ = threshold_
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class LCWNB(HeftClassifier):
    """Lazy cell-weighted naive Bayes: rows weigh less the more they differ from the row to predict.

    Source: Li and Li 2014, figure 1 and section 3.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'. Instance
    weights: no.

    Parameters
    ----------
    kappa : float or 'auto', default 5
        total weight of the rows of each class to learn from; auto: 20, 10 or 5 by the number of
        attributes (LCWNB*) (a number above 0, or auto)
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import LCWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> LCWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "lcwnb"
    _sparse = False
    _missing = False
    _explains = True
    _options = {
        "kappa": "kappa",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        kappa: float | str = 5,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kappa = kappa
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class LWNB(HeftClassifier):
    """Locally weighted naive Bayes on the 50 nearest rows.

    Source: Frank, Hall and Pfahringer 2003, as compared in Li and Li 2014.

    Frank, Hall and Pfahringer (2003). Locally weighted naive Bayes. Proceedings of the Conference
      on Uncertainty in Artificial Intelligence, 249-256.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'. Instance
    weights: no.

    Parameters
    ----------
    k : int, default 50
        number of nearest rows; the bandwidth is the distance to the last (a whole number from 1)
    kernel : {'linear', 'weka'}, default 'linear'
        linear: 1 - H/d, rows at d left out; weka: 1.0001 - sqrt(H/d), rows at d kept
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import LWNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> LWNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "lwnb"
    _sparse = False
    _missing = False
    _explains = True
    _options = {
        "k": "k",
        "kernel": "kernel",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        k: int = 50,
        kernel: str = 'linear',
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.kernel = kernel
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class ICLNB(HeftClassifier):
    """Instance cloning local naive Bayes on the 10 nearest rows.

    Source: Jiang, Zhang and Su 2005, as compared in Li and Li 2014.

    Jiang, Zhang and Su (2005). Instance cloning local naive Bayes. Proceedings of the 18th
      Conference of the Canadian Society for Computational Studies of Intelligence, 280-291.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'. Instance
    weights: no.

    Parameters
    ----------
    k : int, default 10
        number of nearest rows to clone, with all rows as near as the last (a whole number from 1)
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import ICLNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> ICLNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "iclnb"
    _sparse = False
    _missing = False
    _explains = True
    _options = {
        "k": "k",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        k: int = 10,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class TAN(PartialClassifier):
    """Tree augmented naive Bayes: every attribute has one other as parent.

    Source: Friedman, Geiger and Goldszmidt 1997; Weka 3.6 BayesNet, as compared in Li and Li 2014.

    Friedman, Geiger and Goldszmidt (1997). Bayesian network classifiers. Machine Learning 29,
      131-163, doi:10.1023/A:1007465528199.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'.

    Parameters
    ----------
    tree : {'bayes', 'information'}, default 'bayes'
        bayes: arcs by gain in log marginal likelihood, as Weka's BayesNet; information: by
        conditional mutual information, as Friedman, Geiger and Goldszmidt
    alpha : float, default 0.5
        added to every count; 1 is Laplace (a number above 0 to 1000000)
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import TAN
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> TAN().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "tan"
    _sparse = False
    _missing = False
    _explains = True
    _options = {
        "tree": "tree",
        "alpha": "alpha",
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        tree: str = 'bayes',
        alpha: float = 0.5,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.tree = tree
        self.alpha = alpha
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class AODE(PartialClassifier):
    """Averaged one-dependence estimators: each attribute in turn as parent of all others.

    Source: Webb, Boughton and Wang 2005; Weka 3.6 AODE, as compared in Li and Li 2014.

    Webb, Boughton and Wang (2005). Not so naive Bayes: aggregating one-dependence estimators.
      Machine Learning 58(1), 5-24, doi:10.1007/s10994-005-4258-6.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'.

    Parameters
    ----------
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import AODE
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> AODE().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "aode"
    _sparse = False
    _missing = False
    _explains = False
    _options = {
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class WAODE(PartialClassifier):
    """Weightily averaged one-dependence estimators: parents weighted by mutual information.

    Source: Jiang and Zhang 2006; Weka 3.6 WAODE, as compared in Li and Li 2014.

    Jiang and Zhang (2006). Weightily averaged one-dependence estimators. Proceedings of the Pacific
      Rim International Conference on Artificial Intelligence.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'.

    Parameters
    ----------
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import WAODE
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> WAODE().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "waode"
    _sparse = False
    _missing = False
    _explains = False
    _options = {
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


class HNB(PartialClassifier):
    """Hidden naive Bayes: every attribute depends on a mixture of all others.

    Source: Zhang, Jiang and Su 2005; Weka 3.6 HNB, as compared in Li and Li 2014.

    Zhang, Jiang and Su (2005). Hidden naive Bayes. Proceedings of the 20th National Conference on
      Artificial Intelligence, 919-924.

    Li and Li (2014). Locally weighted learning for naive Bayes classifier. arXiv preprint.

    Default preparation: impute='mean', discretize='width:10', smoothing='laplace'.

    Parameters
    ----------
    constant : {'drop', 'keep'}, default 'drop'
        columns that have one value in all training rows: left out, or counted as attributes as in
        Weka and the papers (the default under --protocol whole)
    discretize : str, default None
        how numbers become intervals: 'none', 'width:B', 'frequency:B', 'mdl', 'mdl:SCALE' or
        'presence'
    impute : str, default None
        missing cells: 'none' or 'mean' (the mode of nominal columns)
    scale : str, default None
        scaling of numbers: 'none', 'minmax', 'range' or 'unit'
    smoothing : str, default None
        of counts: 'laplace', 'paper' or 'm:VALUE'
    prior : str, dict or array-like, default None
        'smoothed', 'frequency', 'uniform', or probabilities: a dict by class, or a sequence
    select : str, default None
        attributes: 'gain-ratio:N', 'mutual-information:N', 'cfs'
    unseen : str, default None
        values never seen: 'missing' or 'zero'
    calibrate : str, default None
        probabilities brought in line with held-out rows: 'none', 'temperature' or 'vector'
    cost : array-like, dict or path, default None
        predict the class of least expected cost: a matrix of costs (actual by predicted class, in
        the order of classes_), a dict by (actual, predicted) with 1 for other errors, or a CSV file
    threshold : float or dict, default None
        of two classes: a dict {class: P} predicts that class from the probability P on; a number is
        that of classes_[1]
    tune : str, default None
        of two classes: choose the threshold on held-out rows by 'balanced-accuracy', 'f1' (the mean
        of both classes), 'mcc', or 'cost' (with cost)
    categorical_features : array-like, default None
        numeric columns to take as nominal: indices, names or a mask
    n_jobs : int, default None
        threads; None: all cores. The answer does not depend on it
    random_state : int or generator, default None
        seed of the methods that draw random numbers
    verbose : int, default 0
        what fit prints: 1: messages, and once a second how far it is; 2: more messages
    class_weight : str or dict, default None
        weights of the rows of a class, by which sample_weight is multiplied: 'balanced', or a dict
        by class with 1 for other classes

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        the labels, of y's type
    n_features_in_ : int
        the number of columns of X
    feature_names_in_ : ndarray of shape (n_features,)
        the names of the columns of X, where it has names
    feature_importances_ : ndarray of shape (n_features,)
        how much each column says about the class; for methods whose score is a sum of terms or that
        have weights
    attribute_weights_ : ndarray
        the weights of the columns; docs/python.md has its shapes and further attributes
    class_prior_ : ndarray of shape (n_classes,)
        the prior probabilities

    Examples
    --------
    >>> from heft import HNB
    >>> X = [[1.4, 3], [1.3, 2], [1.5, 3], [1.2, 4], [4.7, 6], [4.5, 5], [4.9, 7], [4.0, 6]]
    >>> y = ["short"] * 4 + ["long"] * 4
    >>> HNB().fit(X, y).predict([[1.2, 3], [4.1, 6]]).tolist()
    ['short', 'long']
    """

    _method = "hnb"
    _sparse = False
    _missing = False
    _explains = True
    _options = {
        "constant": "constant",
    }

    def __init__(
        self,
        *,
        constant: str = 'drop',
        discretize: str | None = None,
        impute: str | None = None,
        scale: str | None = None,
        smoothing: str | None = None,
        prior: Any = None,
        select: str | None = None,
        unseen: str | None = None,
        calibrate: str | None = None,
        cost: Any = None,
        threshold: Any = None,
        tune: str | None = None,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        class_weight: Any = None,
    ) -> None:
        self.constant = constant
        self.discretize = discretize
        self.impute = impute
        self.scale = scale
        self.smoothing = smoothing
        self.prior = prior
        self.select = select
        self.unseen = unseen
        self.calibrate = calibrate
        self.cost = cost
        self.threshold = threshold
        self.tune = tune
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight


BY_METHOD: dict[str, type[HeftClassifier]] = {
    "auto": Auto,
    "nb": NB,
    "gnb": GNB,
    "flexnb": FlexNB,
    "enb": ENB,
    "dnb": DNB,
    "lnb": LNB,
    "gdnb": GDNB,
    "mse": MSE,
    "sbc": SBC,
    "klnb": KLNB,
    "treenb": TreeNB,
    "dfwnb": DFWNB,
    "cfwnb": CFWNB,
    "wanbia": WANBIA,
    "cawnb": CAWNB,
    "rnb": RNB,
    "cwanb": CWANB,
    "deawnb": DEAWNB,
    "tcsfsnb": TCSFSNB,
    "vwnb": VWNB,
    "swnb": SWNB,
    "lcwnb": LCWNB,
    "lwnb": LWNB,
    "iclnb": ICLNB,
    "tan": TAN,
    "aode": AODE,
    "waode": WAODE,
    "hnb": HNB,
}

__all__ = [
    "Auto",
    "NB",
    "GNB",
    "FlexNB",
    "ENB",
    "DNB",
    "LNB",
    "GDNB",
    "MSE",
    "SBC",
    "KLNB",
    "TreeNB",
    "DFWNB",
    "CFWNB",
    "WANBIA",
    "CAWNB",
    "RNB",
    "CWANB",
    "DEAWNB",
    "TCSFSNB",
    "VWNB",
    "SWNB",
    "LCWNB",
    "LWNB",
    "ICLNB",
    "TAN",
    "AODE",
    "WAODE",
    "HNB",
]
