/** Reads from /proc what a process and all processes below it take; see proc(5). */
import { readdirSync, readFileSync } from 'node:fs';

export interface Taken {
  /** These are megabytes of resident memory. Memory that two processes share counts twice in `treeMb`. */
  readonly treeMb: number;
  readonly rootMb: number;
  /** These are megabytes of memory of all processes in which each page counts once (the proportional set size). */
  readonly pagesMb: number;
  /** These are milliseconds of processor time of the first process, and of all processes below it. */
  readonly rootMs: number;
  readonly childrenMs: number;
}

/** The fields of /proc/<pid>/stat follow the name, which may contain any character. */
function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns null for a process that has ended since it was listed. */
function ifAlive<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

export function takenBy(root: number): Taken {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? ifAlive(() => fieldsOf(pid)) : null;
    if (fields !== null) parents.set(pid, Number(fields[1]));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  const pids = [...parents.keys()].filter(isBelow);
  let treeMb = 0;
  let pagesMb = 0;
  for (const pid of pids) {
    treeMb += ifAlive(() => residentOf(pid)) ?? 0;
    pagesMb += ifAlive(() => proportionOf(pid)) ?? 0;
  }
  // cutime and cstime have the time of the children that have ended; utime and stime of the living ones are added.
  const time = (pid: number, from: number) => {
    const fields = ifAlive(() => fieldsOf(pid)) ?? [];
    return 10 * (Number(fields[from] ?? 0) + Number(fields[from + 1] ?? 0));
  };
  const living = pids
    .filter((pid) => pid !== root)
    .reduce((sum, pid) => sum + time(pid, 11) + time(pid, 13), 0);
  return {
    treeMb,
    rootMb: residentOf(root),
    pagesMb,
    rootMs: time(root, 11),
    childrenMs: living + time(root, 13),
  };
}

const residentOf = (pid: number): number => megabytesIn(`/proc/${pid}/status`, /VmRSS:\s+(\d+)/);

const proportionOf = (pid: number): number =>
  megabytesIn(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m);

const megabytesIn = (file: string, line: RegExp): number =>
  Number(line.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024;

/** `peak` returns what was taken when the tree had the most memory since the last call. */
export function watchTree(root: number, everyMs: number) {
  let most: Taken | null = null;
  const look = (): Taken => {
    const taken = takenBy(root);
    if (most === null || taken.treeMb > most.treeMb) most = taken;
    return most;
  };
  const clock = setInterval(look, everyMs);
  return {
    peak(): Taken {
      const peak = look();
      most = null;
      return peak;
    },
    stop: () => clearInterval(clock),
  };
}
