-- SPDX-License-Identifier: MIT
--
-- What people ask most. Only trials that are enabled count.

CREATE VIEW runs AS
SELECT run.id AS run, application.name AS application, condition.name AS condition, run.trial,
       run.elapsed, run.user_time, run.system_time, run.work, run.span, run.unit, run.ending, run.date,
       run.machine, run.source, run.enabled, condition.id AS condition_id, application.id AS application_id
FROM run JOIN condition ON condition.id = run.condition
         JOIN application ON application.id = condition.application;

-- A function in a run: sums over places, and the largest and smallest of them.
CREATE VIEW function_of_run AS
SELECT run, function, places, calls, subcalls, inclusive_time, exclusive_time, most_time, least_time
FROM function_sum;

-- A function under a condition: means over trials, and the standard deviation of one trial.
CREATE VIEW function_of_condition AS
SELECT runs.application, runs.condition, runs.condition_id, function.id AS function, function.kind, function.name,
       function.signature, function.ordinal, COUNT(*) AS trials, AVG(f.calls) AS calls,
       AVG(f.inclusive_time) AS inclusive_time, AVG(f.exclusive_time) AS exclusive_time,
       CASE WHEN COUNT(*) > 1 THEN
           SQRT(CASE WHEN AVG(f.exclusive_time * f.exclusive_time) > AVG(f.exclusive_time) * AVG(f.exclusive_time)
                     THEN (AVG(f.exclusive_time * f.exclusive_time)
                           - AVG(f.exclusive_time) * AVG(f.exclusive_time)) * COUNT(*) / (COUNT(*) - 1.0)
                     ELSE 0.0 END)
       END AS deviation
FROM function_of_run f JOIN runs ON runs.run = f.run
                       JOIN function ON function.id = f.function
WHERE runs.enabled = 1
GROUP BY runs.application, runs.condition, runs.condition_id, function.id, function.kind, function.name,
         function.signature, function.ordinal;

-- How long a condition takes. What a processor did not compute was input, output, or waiting.
CREATE VIEW condition_mean AS
SELECT application, condition, condition_id, COUNT(*) AS trials, AVG(1.0 * elapsed) AS elapsed,
       CASE WHEN COUNT(*) > 1 THEN
           SQRT(CASE WHEN AVG(1.0 * elapsed * elapsed) > AVG(1.0 * elapsed) * AVG(1.0 * elapsed)
                     THEN (AVG(1.0 * elapsed * elapsed) - AVG(1.0 * elapsed) * AVG(1.0 * elapsed))
                          * COUNT(*) / (COUNT(*) - 1.0)
                     ELSE 0.0 END)
       END AS deviation,
       AVG(1.0 * user_time) AS user_time, AVG(1.0 * system_time) AS system_time,
       AVG(1.0 * work) AS work, AVG(1.0 * span) AS span
FROM runs WHERE enabled = 1
GROUP BY application, condition, condition_id;
