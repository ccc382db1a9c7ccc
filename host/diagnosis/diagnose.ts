import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LockstepError, messageOf } from '../base/error.ts'
import { filesPutAside } from '../log/log-file.ts'
import { redactText } from '../log/redact-text.ts'
import { type Home, logPath } from '../node/home/home.ts'
import { checkFiles } from './check-files.ts'
import { checkHome } from './check-home.ts'
import { checkKeys } from './check-keys.ts'
import { checkClock, checkDisk, checkLimits, checkVersions } from './check-machine.ts'
import { checkProcess, type NodeAnswer } from './check-process.ts'
import { checkSplit } from './check-split.ts'
import { checkStores } from './check-stores.ts'
import { type Finding, inOrder } from './finding.ts'
import { type HomeFacts, readHomeFacts } from './home-facts.ts'
import { findingsOf, type LogReading, readLog } from './log-failures.ts'
import { secretsOf } from './secrets.ts'

export interface DiagnosisOptions {
  readonly home: Home
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Files of logs, and `-` for standard input; those of the home where it is empty. */
  readonly logs: readonly string[]
  /** Where the consensus RPC of the running node answers, as its ready file says. */
  readonly consensus: string | null | undefined
  /** Reads every row of a stopped home. */
  readonly deep: ((facts: HomeFacts) => Promise<readonly Finding[]>) | undefined
}

export interface Diagnosis {
  readonly facts: HomeFacts
  readonly answer: NodeAnswer | undefined
  /** In the order of cause, without secrets. */
  readonly findings: readonly Finding[]
}

/** The files of a home's log, the oldest first. */
export function logFilesOf({ home, inspected }: HomeFacts): readonly string[] {
  const path = logPath(home, inspected.config)
  if (path === undefined || !existsSync(path)) return []
  return [...filesPutAside(path), path]
}

async function readFileLog(path: string): Promise<LogReading> {
  const input = path === '-' ? process.stdin : createReadStream(path)
  try {
    // A stream's error reaches neither the reader of lines nor its loop.
    const failed = new Promise<never>((_, reject) => input.once('error', reject))
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    return await Promise.race([readLog(lines), failed])
  } catch (cause) {
    throw new LockstepError('INVALID_ARGUMENT', `--log: cannot read ${path}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

async function* linesOf(paths: readonly string[]): AsyncGenerator<string, void> {
  for (const path of paths) {
    const input = createReadStream(path)
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  }
}

/** Each log with its name in findings. @throws INVALID_ARGUMENT */
async function readLogs(
  facts: HomeFacts,
  named: readonly string[],
): Promise<readonly (readonly [string, LogReading])[]> {
  if (named.length > 0) {
    const read: [string, LogReading][] = []
    for (const path of named)
      read.push([path === '-' ? 'standard input' : path, await readFileLog(path)])
    return read
  }
  const paths = logFilesOf(facts)
  const newest = paths.at(-1)
  if (newest === undefined) return []
  return [[newest, await readLog(linesOf(paths))]]
}

/** Looks at a home and its logs. @throws INVALID_ARGUMENT where a log that is named cannot be read */
export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const { home, environment, consensus, deep } = options
  const facts = readHomeFacts(home, environment)
  const logs = await readLogs(facts, options.logs)
  const { findings: ofProcess, answer } = await checkProcess(facts, consensus)
  const isFollowing = answer !== undefined && !answer.catchingUp && answer.lag === 0
  const findings: Finding[] = [
    ...checkFiles(facts),
    ...checkDisk(facts),
    ...checkLimits(facts),
    ...checkClock(facts),
    ...checkVersions(logs.at(-1)?.[1]),
    ...checkHome(facts),
    ...(await checkKeys(facts)),
    ...checkStores(facts),
    ...checkSplit(facts),
    ...ofProcess,
    ...((await deep?.(facts)) ?? []),
    ...logs.flatMap(([source, log]) => findingsOf(log, source, isFollowing)),
  ]
  const secrets = secretsOf(home)
  const shown = findings.map((finding) => ({
    ...finding,
    what: redactText(finding.what, secrets),
  }))
  return { facts, answer, findings: inOrder(shown) }
}
