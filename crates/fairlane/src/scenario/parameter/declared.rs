//! What each policy lets a scenario's file set. A policy's parameters are declared here, and not beside the policy, so that
//! a file can be checked without any of them.

use super::{Parameter, ParameterKind, ParameterSet};

/// A policy that has none.
const fn none(id: &'static str) -> ParameterSet {
    ParameterSet { id, parameters: &[] }
}

/// The parameters of all policies and those that several share, in the order in which policies are listed.
pub(super) const SETS: &[ParameterSet] = &[
    none("fifo"),
    none("fair"),
    none("ujf"),
    none("cfq"),
    UWFQ,
    UWFQ_RELEASED,
    none("sjf-cp"),
    WFAIR,
    GRAPHENE,
    none("tetris"),
    PAF,
    none("baseline-fs"),
    none("reactive-fs"),
    none("deadline-oracle"),
    JUSTICE,
    none("drf"),
    none("sp"),
    none("m-bvt"),
    none("n-bopf"),
    BOPF,
    KARMA,
    DECAY,
    SPARK,
    none("decima"),
    DEADLINES,
];

/// The parameters of UWFQ.
pub const UWFQ: ParameterSet = ParameterSet {
    id: "uwfq",
    parameters: &[
        Parameter {
            name: "grace_s",
            title: "UWFQ grace",
            summary: "How long a job keeps its deadline after it has finished virtually.",
            unit: "s",
            kind: ParameterKind::Seconds { default: 2.0 },
        },
        Parameter {
            name: "late_stage",
            title: "UWFQ late stages",
            summary: "What happens to a stage submitted after its job has finished virtually.",
            unit: "",
            kind: ParameterKind::Choice {
                options: &[
                    ("grace", "keeps the deadline within the grace period, then is admitted again"),
                    ("top", "goes first from then on"),
                ],
            },
        },
    ],
};

/// The parameters of UWFQ as released.
pub const UWFQ_RELEASED: ParameterSet = ParameterSet {
    id: "uwfq-released",
    parameters: &[Parameter {
        name: "grace_s",
        title: "UWFQ released grace",
        summary: "How long after a user has left a late stage still brings the user back with the old virtual arrival.",
        unit: "s",
        kind: ParameterKind::Seconds { default: 2.0 },
    }],
};

/// The parameters of weighted fair sharing.
pub const WFAIR: ParameterSet = ParameterSet {
    id: "wfair",
    parameters: &[Parameter {
        name: "alpha",
        title: "Weighted fair alpha",
        summary: "The power of a job's estimated work that its share is proportional to.",
        unit: "",
        kind: ParameterKind::Number { default: 0.0, least: -8.0, most: 8.0 },
    }],
};

/// The parameters of Graphene.
pub const GRAPHENE: ParameterSet = ParameterSet {
    id: "graphene",
    parameters: &[
        Parameter {
            name: "alpha",
            title: "Graphene alpha",
            summary: "The power of a job's estimated work that its share is proportional to.",
            unit: "",
            kind: ParameterKind::Number { default: -1.0, least: -8.0, most: 8.0 },
        },
        Parameter {
            name: "long",
            title: "Graphene: long tasks",
            summary: "A stage is troublesome from this fraction of the longest mean task of its job on.",
            unit: "",
            kind: ParameterKind::Number { default: 0.5, least: 0.0, most: 1000.0 },
        },
        Parameter {
            name: "memory",
            title: "Graphene: much memory",
            summary: "A stage is troublesome from this fraction of an executor's memory on.",
            unit: "",
            kind: ParameterKind::Number { default: 0.5, least: 0.0, most: 1000.0 },
        },
    ],
};

/// The parameters of PAF.
pub const PAF: ParameterSet = ParameterSet {
    id: "paf",
    parameters: &[Parameter {
        name: "alpha",
        title: "PAF alpha",
        summary: "The part of its progress at the fair share that a job is left with at least.",
        unit: "",
        kind: ParameterKind::Number { default: 0.9, least: 0.0, most: 1.0 },
    }],
};

/// The parameters of Justice.
pub const JUSTICE: ParameterSet = ParameterSet {
    id: "justice",
    parameters: &[
        Parameter {
            name: "bootstrap_jobs",
            title: "Justice bootstrap jobs",
            summary: "Until more jobs than this have ended, each asks for all the cores that it can use.",
            unit: "jobs",
            kind: ParameterKind::Whole { default: 1, least: 0, most: 1_000_000 },
        },
        Parameter {
            name: "smoothing",
            title: "Justice smoothing",
            summary: "Weight of the last error in the correction; without it, all errors weigh the same.",
            unit: "",
            kind: ParameterKind::OptionalNumber { least: 0.0, most: 1.0 },
        },
        Parameter {
            name: "kill_above_tasks",
            title: "Justice kill above tasks",
            summary: "A job with more tasks at once than this is dropped at its deadline.",
            unit: "tasks",
            kind: ParameterKind::Whole { default: 10, least: 0, most: u32::MAX },
        },
    ],
};

/// The parameters of BoPF and N-BoPF.
pub const BOPF: ParameterSet = ParameterSet {
    id: "bopf",
    parameters: &[Parameter {
        name: "min_queues",
        title: "BoPF least queues",
        summary: "Admission shares the cluster between at least this many queues.",
        unit: "queues",
        kind: ParameterKind::Whole { default: 1, least: 1, most: 1_000_000 },
    }],
};

/// The parameters of Karma.
pub const KARMA: ParameterSet = ParameterSet {
    id: "karma",
    parameters: &[
        Parameter {
            name: "alpha",
            title: "Karma alpha",
            summary: "The part of its fair share that a user is guaranteed.",
            unit: "",
            kind: ParameterKind::Number { default: 0.5, least: 0.0, most: 1.0 },
        },
        Parameter {
            name: "quantum_s",
            title: "Karma quantum",
            summary: "How long targets hold until they are computed again.",
            unit: "s",
            kind: ParameterKind::Number { default: 1.0, least: 0.01, most: 1e6 },
        },
        Parameter {
            name: "credits",
            title: "Karma credits",
            summary: "The credits of each user at the start.",
            unit: "credits",
            kind: ParameterKind::Number { default: 1e6, least: 0.0, most: 1e9 },
        },
    ],
};

/// The parameters of decayed usage.
pub const DECAY: ParameterSet = ParameterSet {
    id: "decay",
    parameters: &[Parameter {
        name: "half_life_s",
        title: "Half-life of usage",
        summary: "After this time, use of a core counts half.",
        unit: "s",
        kind: ParameterKind::Number { default: 60.0, least: 0.001, most: 1e9 },
    }],
};

/// The parameters of Spark's scheduler.
pub const SPARK: ParameterSet = ParameterSet {
    id: "spark",
    parameters: &[
        Parameter {
            name: "mode",
            title: "Mode",
            summary: "How stages compete: spark.scheduler.mode.",
            unit: "",
            kind: ParameterKind::Choice {
                options: &[("FAIR", "between pools"), ("FIFO", "in the order of Spark jobs")],
            },
        },
        Parameter {
            name: "by",
            title: "Pool of a job",
            summary: "Whose name the pool of a job is.",
            unit: "",
            kind: ParameterKind::Choice {
                options: &[("pool", "its own"), ("user", "its user"), ("group", "its group")],
            },
        },
        Parameter {
            name: "default_mode",
            title: "Inside the pool default",
            summary: "The mode inside the pool default where it is not declared: Spark makes it FIFO if there is a \
                      fairscheduler.xml, else FAIR.",
            unit: "",
            kind: ParameterKind::Choice { options: &[("FIFO", "FIFO"), ("FAIR", "FAIR")] },
        },
        Parameter {
            name: "pools",
            title: "Pools",
            summary: "What fairscheduler.xml declares; any other pool is FIFO inside, with weight 1 and no minimum \
                share.",
            unit: "",
            kind: ParameterKind::Pools,
        },
    ],
};

/// The parameters of a program, whatever its name.
pub const PROGRAM: ParameterSet = ParameterSet {
    id: "custom",
    parameters: &[
        Parameter {
            name: "program",
            title: "Program",
            summary: "An expression that ranks the stages, smallest first, or functions that decide.",
            unit: "",
            kind: ParameterKind::Program,
        },
        Parameter {
            name: "seed",
            title: "Seed",
            summary: "Where the program's random numbers start.",
            unit: "",
            kind: ParameterKind::Whole { default: 1, least: 0, most: u32::MAX },
        },
    ],
};

/// Deadlines that a scenario does not give, for the policies that know deadlines (docs/model.md section 10).
pub const DEADLINES: ParameterSet = ParameterSet {
    id: "deadlines",
    parameters: &[Parameter {
        name: "factor",
        title: "Deadline factor",
        summary: "A job without a deadline is due after this many times its response alone under FIFO.",
        unit: "×",
        kind: ParameterKind::Number { default: 2.0, least: 0.0, most: 1000.0 },
    }],
};
