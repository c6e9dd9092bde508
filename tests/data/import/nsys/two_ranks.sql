-- A capture of two processes, as `nsys profile torchrun ...` records one, after the documented schema.
-- Each has five steps of exactly 1 ms: a kernel of 600 us from 20 us on, launched at 5 us, and an
-- all-reduce of 200 us. On the first device the all-reduce follows the kernel, from 620 us on, and
-- hides nothing; the second process begins 300 us later, and its all-reduce runs from 420 us on,
-- beside its kernel. So the devices wait for 20 % and 40 % of the step, in which calls take 2 us.
-- Both count correlation numbers from 1.
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm_kernel'), (2, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'),
  (3, 'cudaLaunchKernel_v7000');
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES (16777216000, 1000, '/usr/bin/python3'), (16793993216, 1001, '/usr/bin/python3');
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132), (1, 'NVIDIA H200', 132);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);

CREATE TEMP TABLE step AS
  WITH RECURSIVE step(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < 4)
  SELECT n, device, 1000000 * (n + 1) + 300000 * device AS t, 16777216000 + 16777216 * device AS pid,
         CASE device WHEN 0 THEN 620000 ELSE 420000 END AS reduced
  FROM step, (SELECT 0 AS device UNION ALL SELECT 1);
INSERT INTO NVTX_EVENTS SELECT t, t + 1000000, 59, 'step ' || n, pid + 1000 + device FROM step;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT t + 5000, t + 6000, pid + 1000 + device, 2 * n + 1, 3 FROM step UNION ALL
  SELECT t + 7000, t + 8000, pid + 1000 + device, 2 * n + 2, 3 FROM step;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT t + 20000, t + 620000, device, 7, 2 * n + 1, pid, 1, 1 FROM step UNION ALL
  SELECT t + reduced, t + reduced + 200000, device, 20, 2 * n + 2, pid, 2, 2 FROM step;
