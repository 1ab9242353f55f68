/**
 * These lists name the modules, and the members of some modules, that stay in a limited process. `lockdown.ts` removes
 * other modules, and the functions and objects that are not listed; plain values stay.
 */

/** These modules stay, because they are harmless, reach only the network, or are restricted by the permission model. */
export const KNOWN_MODULES: ReadonlySet<string> = new Set(
  `_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex
  _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common
  _tls_wrap assert assert/strict async_hooks buffer child_process cluster console constants crypto
  dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector
  inspector/promises module net os path path/posix path/win32 perf_hooks process punycode querystring
  readline readline/promises repl stream stream/consumers stream/promises stream/web string_decoder sys
  timers timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib
  node:ffi node:sea node:sqlite node:test node:test/reporters`.split(/\s+/),
);

/** These modules have functions that the permission model does not check; only the listed members stay. */
export const KEPT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  process: `_events _exiting _fatalException _getActiveHandles _getActiveRequests _preload_modules
    _rawDebug _startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback abort
    addUncaughtExceptionCaptureCallback allowedNodeEnvironmentFlags argv availableMemory config
    constrainedMemory cpuUsage cwd domain emitWarning env execArgv exit exitCode features finalization
    getActiveResourcesInfo getBuiltinModule getegid geteuid getgid getgroups getuid
    hasUncaughtExceptionCaptureCallback hrtime memoryUsage moduleLoadList nextTick openStdin permission
    reallyExit ref release resourceUsage setSourceMapsEnabled setUncaughtExceptionCaptureCallback
    sourceMapsEnabled stderr stdin stdout threadCpuUsage umask unref uptime versions`.split(/\s+/),
  os: `arch availableParallelism constants cpus endianness freemem getPriority homedir hostname loadavg
    machine networkInterfaces platform release tmpdir totalmem type uptime userInfo version`.split(
    /\s+/,
  ),
  v8: `DefaultDeserializer DefaultSerializer Deserializer Serializer cachedDataVersionTag deserialize
    getHeapCodeStatistics getHeapSpaceStatistics getHeapStatistics isStringOneByteRepresentation
    serialize`.split(/\s+/),
  // `postMessageToThread` is missing here, because a message to the thread of the watchdog
  // would keep it busy, or break it.
  worker_threads: `BroadcastChannel MessageChannel MessagePort Worker getEnvironmentData
    isMarkedAsUntransferable locks markAsUncloneable markAsUntransferable moveMessagePortToContext
    parentPort receiveMessageOnPort resourceLimits setEnvironmentData workerData`.split(/\s+/),
};
