import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { openFileLimit } from '../../base/process/open-files.ts'
import { NODE_RANGE, VERSION } from '../version.ts'
import { type Finding, fault, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'
import type { LogReading } from './log-failures.ts'

const MIB = 2 ** 20

/** The storage accepts no block with less than 128 MiB free. */
const LEAST_FREE = 256 * MIB
const LITTLE_FREE = 4096 * MIB

/** Segments, logs and tables are one file each; after a week a node has thousands. */
const LEAST_INODES = 1_000

/** Below this limit a busy node runs out of descriptors for sockets and segments. */
const LEAST_FILES = 1_024
const ADVISED_FILES = 65_536

/** How far block times, set by other machines, may be ahead of this clock. */
const CLOCK_SLACK_MS = 10_000
const NS_PER_MS = 1_000_000n

/** Checks free space and inodes of the data disk. */
export function* checkDisk({ home }: HomeFacts): Generator<Finding, void> {
  const path = [home.data.directory, home.root].find((each) => existsSync(each))
  if (path === undefined) return
  const { bavail, bsize, files, ffree } = statfsSync(path)
  const free = bavail * bsize
  const shown = `${path} has ${Math.floor(free / MIB)} MiB free`
  const remedy = 'free disk space, or lower ss-keep-recent and min-retain-blocks in config/app.toml'
  if (free < LEAST_FREE)
    yield fault('disk', `${shown}: a node accepts no block with less than 128`, remedy)
  else if (free < LITTLE_FREE) yield warning('disk', shown, remedy)
  if (files > 0 && ffree < LEAST_INODES) {
    yield fault('disk', `${path} has room for ${ffree} more files`, 'remove files from that disk')
  }
}

/** Checks the open file limit: the node's if it runs, else this process's. */
export function* checkLimits({ process: pid }: HomeFacts): Generator<Finding, void> {
  const limit = openFileLimit(pid ?? 'self') ?? openFileLimit('self')
  if (limit === undefined) return
  const remedy =
    `\`ulimit -n ${ADVISED_FILES}\` in the shell that starts the node, or LimitNOFILE=${ADVISED_FILES} ` +
    'in its systemd unit'
  if (limit < LEAST_FILES) yield fault('limits', `a process may open ${limit} files`, remedy)
  if (pid === undefined || !existsSync(`/proc/${pid}/fd`)) return
  try {
    const open = readdirSync(`/proc/${pid}/fd`).length
    if (open > 0.8 * limit) {
      yield fault('limits', `the node has ${open} of ${limit} files open`, remedy)
    }
  } catch {
    // The process belongs to another user.
  }
}

/** Checks the machine's clock against the chain's. */
export function* checkClock({ newest, genesis }: HomeFacts): Generator<Finding, void> {
  const now = Date.now()
  const remedy = 'set the clock: `timedatectl set-ntp true`'
  const latest = newest?.time ?? genesis?.time
  if (latest !== undefined) {
    const ahead = Number(latest / NS_PER_MS) - now
    if (ahead > CLOCK_SLACK_MS) {
      const what = newest === undefined ? 'the genesis' : `block ${newest.height}`
      yield fault(
        'clock',
        `the clock (${new Date(now).toISOString()}) is ${Math.ceil(ahead / 1000)} s behind the time of ${what}`,
        remedy,
      )
    }
  }
  const drift = Math.abs(performance.timeOrigin + performance.now() - Date.now())
  if (drift > CLOCK_SLACK_MS) {
    yield warning(
      'clock',
      `the clock was moved by ${Math.round(drift / 1000)} s a moment ago`,
      remedy,
    )
  }
}

function isNewer(a: string, b: string): boolean {
  const numbers = (text: string): number[] => text.replace(/^v/, '').split(/[.+-]/).map(Number)
  const [left, right] = [numbers(a), numbers(b)]
  for (const [i, part] of left.entries()) {
    const other = right[i] ?? 0
    if (part !== other) return part > other
  }
  return false
}

/** Compares the releases of the package and of Node with those of the last run. */
export function* checkVersions(log: LogReading | undefined): Generator<Finding, void> {
  const started = log?.started
  if (started === undefined) return
  if (isNewer(started.version, VERSION)) {
    yield fault(
      'versions',
      `the home was last run with lockstep ${started.version}, and this is ${VERSION}`,
      `install lockstep ${started.version} or later: an older release may not read what a newer one wrote`,
    )
  }
  const major = (text: string): number => Number(/^v?(\d+)/.exec(text)?.[1])
  if (major(started.node) !== major(process.version)) {
    yield warning(
      'versions',
      `the home was last run with Node ${started.node}, and this is ${process.version}`,
      `lockstep runs with Node ${NODE_RANGE}; use the same for the node and its commands`,
    )
  }
}
