-- An export of Nsight Systems as its documented schema has it (the user guide's "SQLite Schema
-- Reference", schema 3.15): written by hand, not by the tool. Three steps of 1 ms of a program
-- without a framework, after 9 ms of set-up. In a step, in us from its start:
--
--   host     NVTX range `step N` 0 to 1000; cudaMemcpyAsync 10 to 30, cudaLaunchKernel 40 to 45 and
--            50 to 55, cudaMemcpyAsync 60 to 65, cudaStreamSynchronize 70 to 520
--   device   copy of 1 MB from pageable memory 30 to 130, stencil 150 to 450, reduce 450 to 500,
--            copy of 8 B to pinned memory 510 to 512
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES
  (1, 'void stencil<float, (int)7>(float const*, float*, int)'), (2, 'stencil'),
  (3, 'reduce_sum(float const*, float*)'), (4, 'reduce_sum'), (5, 'cudaMalloc_v3020'),
  (6, 'cudaMemcpyAsync_v3020'), (7, 'cudaLaunchKernel_v7000'), (8, 'cudaStreamSynchronize_v3020'),
  (9, 'set-up');
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.15.1'),
  ('EXPORT_PRODUCT_VERSION', '2024.7.1.84');
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND', '/home/ada/heat/solver'),
  ('PROCESS_0:ARGUMENT_1', '512 x 512'), ('PROCESS_0:ARGUMENT_0', '--grid');
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES (4711 << 24, 4711, '/home/ada/heat/solver');
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL,
  name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, 'machine', 'Hostname', 0, 'babbage'),
  (0, 'machine', 'OsName', 1, 'Debian GNU/Linux 12'), (0, 'machine', 'KernelVersion', 2, '6.1.0'),
  (0, 'machine', 'CpuCores', 3, '64'), (0, 'machine', 'CudaDriverVersion', 4, '12.4'),
  (0, 'machine', 'DeviceEnvironment', 5, 'TOKEN=not to be kept');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '');
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
  totalMemory INTEGER, memoryBandwidth INTEGER, smCount INTEGER, uuid TEXT, cuDevice INTEGER,
  threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
  (0, 0, 'NVIDIA T400', 2097152000, 80032000000, 6, 'not seen', NULL, 32, 32, 7, 5),
  (0, 1, 'NVIDIA A100-SXM4-80GB', 85899345920, 2039000000000, 108,
   '1bdee8b4-22ac-536c-208b-bfb4ed38b878', NULL, 32, 64, 8, 0);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL,
  pid INTEGER NOT NULL, uuid TEXT, numMultiprocessors INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 4711, '', 108);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
  (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host');
CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'),
  (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device');

CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
  gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,
  sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL,
  bytes INTEGER NOT NULL, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
  endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);

-- Set-up: 1 to 9 ms, with a fill before the first step.
INSERT INTO NVTX_EVENTS VALUES (1000000, 9500000, 60, 1, NULL, NULL, NULL, (4711 << 24) + 4711,
  NULL, 9, 0), (1000000, NULL, 34, NULL, NULL, NULL, 'a mark', (4711 << 24) + 4711, NULL, NULL, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (1000000, 9000000, 0, (4711 << 24) + 4711, 1, 5, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES
  (9100000, 9110000, 0, 1, NULL, 7, 2, 4711 << 24, 0, 4194304, 2);

CREATE TABLE at AS WITH RECURSIVE at(step, ns) AS (
  SELECT 0, 10000000 UNION ALL SELECT step + 1, ns + 1000000 FROM at WHERE step < 2)
  SELECT step, ns FROM at;
INSERT INTO NVTX_EVENTS SELECT ns, ns + 1000000, 59, NULL, NULL, NULL, 'step ' || step,
  (4711 << 24) + 4711, NULL, NULL, 0 FROM at;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT ns + us * 1000, ns + (us + took) * 1000, 0, (4711 << 24) + 4711, 10 * (step + 1) + call,
    name, 0, NULL
  FROM at, (SELECT 0 AS call, 10 AS us, 20 AS took, 6 AS name UNION ALL SELECT 1, 40, 5, 7
    UNION ALL SELECT 2, 50, 5, 7 UNION ALL SELECT 3, 60, 5, 6 UNION ALL SELECT 4, 70, 450, 8);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT ns + 30000, ns + 130000, 0, 1, NULL, 7,
  10 * (step + 1), 4711 << 24, 1048576, 1, NULL, 0, 2 FROM at;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT ns + 510000, ns + 512000, 0, 1, NULL, 7,
  10 * (step + 1) + 3, 4711 << 24, 8, 2, NULL, 2, 1 FROM at;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT ns + 150000, ns + 450000, 0, 1, NULL, 7,
  10 * (step + 1) + 1, 4711 << 24, 1, 2, NULL, NULL, NULL, 40, 54, 4, 1, 128, 1, 1, 1024, 0, 0, 0,
  1, NULL, NULL, NULL FROM at;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT ns + 450000, ns + 500000, 0, 1, NULL, 7,
  10 * (step + 1) + 2, 4711 << 24, 3, 4, NULL, NULL, NULL, 16, 27, 1, 1, 256, 1, 1, 0, 2048, 0, 0,
  2, NULL, NULL, NULL FROM at;
DROP TABLE at;
