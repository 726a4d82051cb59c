-- SPDX-License-Identifier: MIT
--
-- The store of runs, for SQLite and for PostgreSQL. docs/store.md draws it and says what each table is for.
-- Views are in views.sql. Whoever changes tables raises STORE_VERSION (sql/schema.h) and adds the way from the
-- former version in sql/schema.c.
--
-- Times are nanoseconds; of a run with unit 'steps', steps of virtual time. NULL: nobody observed it.
-- A name in the form `x_time` is one of these times. Numbers of rows are given by the program.

-- `changes` counts what was added, switched, removed or kept: who keeps answers sees by it whether they hold.
CREATE TABLE store_version (
    version BIGINT NOT NULL,
    changes BIGINT NOT NULL
);

CREATE TABLE application (
    id   BIGINT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- The same keys with the same values: one condition. `name` is all of them, sorted: "nodes=4,size=B".
CREATE TABLE condition (
    id          BIGINT PRIMARY KEY,
    application BIGINT NOT NULL REFERENCES application (id),
    name        TEXT NOT NULL,
    UNIQUE (application, name)
);

CREATE TABLE condition_key (
    condition BIGINT NOT NULL REFERENCES condition (id),
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (condition, key)
);

-- A trial. `enabled` is 0 if comparisons leave it out. `digest` tells whether a file is there already, and whether
-- what lies at `path` is still the file that was added.
CREATE TABLE run (
    id          BIGINT PRIMARY KEY,
    condition   BIGINT NOT NULL REFERENCES condition (id),
    trial       BIGINT NOT NULL,
    source      TEXT NOT NULL,
    path        TEXT,
    origin      TEXT NOT NULL,
    digest      TEXT NOT NULL UNIQUE,
    date        TEXT,
    machine     TEXT,
    command     TEXT,
    ending      TEXT,
    unit        TEXT NOT NULL,
    elapsed     BIGINT,
    user_time   BIGINT,
    system_time BIGINT,
    work        BIGINT,
    span        BIGINT,
    enabled     BIGINT NOT NULL,
    UNIQUE (condition, trial)
);

-- A rank, a thread or a worker.
CREATE TABLE place (
    id     BIGINT PRIMARY KEY,
    run    BIGINT NOT NULL REFERENCES run (id),
    number BIGINT NOT NULL,
    name   TEXT NOT NULL,
    UNIQUE (run, number)
);

-- A routine, a loop, a module, a predicate, a construct. `ordinal` tells those of one name apart, from 1 in
-- the order of the text, so that a line that was inserted above does not make another function of it.
CREATE TABLE function (
    id          BIGINT PRIMARY KEY,
    application BIGINT NOT NULL REFERENCES application (id),
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    signature   TEXT NOT NULL,
    ordinal     BIGINT NOT NULL,
    UNIQUE (application, kind, name, signature, ordinal)
);

CREATE TABLE function_place (
    run      BIGINT NOT NULL REFERENCES run (id),
    function BIGINT NOT NULL REFERENCES function (id),
    file     TEXT NOT NULL,
    line     BIGINT NOT NULL,
    PRIMARY KEY (run, function)
);

CREATE TABLE profile (
    run            BIGINT NOT NULL REFERENCES run (id),
    function       BIGINT NOT NULL REFERENCES function (id),
    place          BIGINT NOT NULL REFERENCES place (id),
    calls          DOUBLE PRECISION,
    subcalls       DOUBLE PRECISION,
    inclusive_time DOUBLE PRECISION,
    exclusive_time DOUBLE PRECISION,
    PRIMARY KEY (run, function, place)
);

-- What is neither a count of calls nor a time: bytes, cache misses, waiting, reductions on the critical path.
CREATE TABLE metric (
    id   BIGINT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL
);

CREATE TABLE measurement (
    run       BIGINT NOT NULL REFERENCES run (id),
    function  BIGINT NOT NULL REFERENCES function (id),
    place     BIGINT NOT NULL REFERENCES place (id),
    metric    BIGINT NOT NULL REFERENCES metric (id),
    inclusive DOUBLE PRECISION,
    exclusive DOUBLE PRECISION,
    PRIMARY KEY (run, function, place, metric)
);

-- Sums over places, made when a run is added: a comparison reads these and not the rows of 64 places.
CREATE TABLE function_sum (
    run            BIGINT NOT NULL REFERENCES run (id),
    function       BIGINT NOT NULL REFERENCES function (id),
    places         BIGINT NOT NULL,
    calls          DOUBLE PRECISION,
    subcalls       DOUBLE PRECISION,
    inclusive_time DOUBLE PRECISION,
    exclusive_time DOUBLE PRECISION,
    most_time      DOUBLE PRECISION,
    least_time     DOUBLE PRECISION,
    PRIMARY KEY (run, function)
);

CREATE TABLE metric_sum (
    run       BIGINT NOT NULL REFERENCES run (id),
    function  BIGINT NOT NULL REFERENCES function (id),
    metric    BIGINT NOT NULL REFERENCES metric (id),
    inclusive DOUBLE PRECISION,
    exclusive DOUBLE PRECISION,
    PRIMARY KEY (run, function, metric)
);

CREATE TABLE message (
    run        BIGINT NOT NULL REFERENCES run (id),
    from_place BIGINT NOT NULL REFERENCES place (id),
    to_place   BIGINT NOT NULL REFERENCES place (id),
    messages   BIGINT,
    bytes      BIGINT,
    PRIMARY KEY (run, from_place, to_place)
);

-- A job of a workflow; times since the workflow began.
CREATE TABLE job (
    run         BIGINT NOT NULL REFERENCES run (id),
    number      BIGINT NOT NULL,
    name        TEXT NOT NULL,
    host        TEXT,
    status      TEXT,
    begin_time  BIGINT,
    end_time    BIGINT,
    user_time   BIGINT,
    system_time BIGINT,
    PRIMARY KEY (run, number)
);

-- How often a function of the system accessed a file, summed when it was imported. `job` may be NULL.
CREATE TABLE file_access (
    run        BIGINT NOT NULL REFERENCES run (id),
    number     BIGINT NOT NULL,
    job        BIGINT,
    file       TEXT NOT NULL,
    access     TEXT NOT NULL,
    calls      BIGINT,
    bytes      BIGINT,
    time_spent BIGINT,
    PRIMARY KEY (run, number)
);

CREATE TABLE saved_query (
    name  TEXT PRIMARY KEY,
    text  TEXT NOT NULL
);

CREATE INDEX run_of_condition ON run (condition);
CREATE INDEX profile_of_function ON profile (function);
CREATE INDEX place_of_run ON place (run);
CREATE INDEX function_place_of_function ON function_place (function, run);
