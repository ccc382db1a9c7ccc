import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { LockstepError, messageOf } from '../../base/error.ts'
import { ERRORS } from '../../base/error-table.ts'
import { filesPutAside } from '../../base/log/log-file.ts'
import { redactText } from '../../base/log/redact-text.ts'
import { readSignState } from '../../chain/consensus/validator/sign-state.ts'
import { type Home, logPath } from '../home/home.ts'
import { checkComet } from './check-comet.ts'
import { checkFiles } from './check-files.ts'
import { checkHome } from './check-home.ts'
import { diagnoseKeys } from './check-keys.ts'
import { checkClock, checkDisk, checkLimits, checkVersions } from './check-machine.ts'
import { type ConsensusStatus, checkProcess } from './check-process.ts'
import { checkSplit } from './check-split.ts'
import { checkStores } from './check-stores.ts'
import { type Finding, fault, inOrder } from './finding.ts'
import { type HomeFacts, readHomeFacts } from './home-facts.ts'
import { findingsOf, type LogReading, readLogFailures } from './log-failures.ts'
import { secretsOf } from './secrets.ts'

const READABLE = ERRORS.STORE_DENIED.remedy

export interface DiagnosisOptions {
  readonly home: Home
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Log files, `-` for standard input; empty for the home's own. */
  readonly logs: readonly string[]
  /** Consensus RPC URL of the running node, from its ready file. */
  readonly consensus: string | null | undefined
  /** Reads every row of a stopped home. */
  readonly deep: ((facts: HomeFacts) => Promise<readonly Finding[]>) | undefined
}

export interface Diagnosis {
  readonly facts: HomeFacts
  readonly answer: ConsensusStatus | undefined
  /** Most likely cause first; contains no secrets. */
  readonly findings: readonly Finding[]
}

/** Returns the log files of a home, oldest first. */
export function logFilesOf({ home, inspected }: HomeFacts): readonly string[] {
  const path = logPath(home, inspected.config)
  if (path === undefined || !existsSync(path)) return []
  return [...filesPutAside(path), path]
}

/** Yields the lines of the given logs, or of the home's. @throws INVALID_ARGUMENT if one cannot be read */
export async function* linesOfLogs(
  facts: HomeFacts,
  named: readonly string[],
): AsyncGenerator<string, void> {
  for (const path of named.length > 0 ? named : logFilesOf(facts)) {
    try {
      const input = path === '-' ? process.stdin : (await open(path)).createReadStream()
      yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    } catch (cause) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `--log: cannot read ${path}: ${messageOf(cause)}`,
        {
          cause,
        },
      )
    }
  }
}

/** Reads each log, with its name for findings. @throws INVALID_ARGUMENT if one cannot be read */
async function readLogs(
  facts: HomeFacts,
  named: readonly string[],
  findings: Finding[],
): Promise<readonly (readonly [string, LogReading])[]> {
  const read: [string, LogReading][] = []
  for (const path of named) {
    read.push([
      path === '-' ? 'standard input' : path,
      await readLogFailures(linesOfLogs(facts, [path])),
    ])
  }
  const newest = logFilesOf(facts).at(-1)
  if (named.length > 0 || newest === undefined) return read
  try {
    return [[newest, await readLogFailures(linesOfLogs(facts, []))]]
  } catch (thrown) {
    findings.push(fault('files', `the log cannot be read: ${messageOf(thrown)}`, READABLE))
    return []
  }
}

/** Returns the highest height that a validator has signed; undefined for other nodes, or if its file is unreadable. */
async function signedHeight({ home, inspected }: HomeFacts): Promise<number | undefined> {
  if (inspected.config.mode !== 'validator') return undefined
  return readSignState(home.data.validatorState).then(
    ({ height }) => height,
    () => undefined,
  )
}

/** Diagnoses a home and its logs. @throws INVALID_ARGUMENT if a given log cannot be read */
export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const { home, environment, consensus, deep } = options
  const facts = readHomeFacts(home, environment)
  const unread: Finding[] = []
  const logs = await readLogs(facts, options.logs, unread)
  const { findings: ofProcess, answer } = await checkProcess(facts, consensus)
  const isFollowing = answer !== undefined && !answer.catchingUp && answer.lag === 0
  const context = { isFollowing, signed: await signedHeight(facts) }
  const findings: Finding[] = [
    ...unread,
    ...checkFiles(facts),
    ...checkDisk(facts),
    ...checkLimits(facts),
    ...checkClock(facts),
    ...checkVersions(logs.at(-1)?.[1]),
    ...checkHome(facts),
    ...(await checkComet(facts)),
    ...(await diagnoseKeys(facts)),
    ...checkStores(facts),
    ...checkSplit(facts),
    ...ofProcess,
    ...((await deep?.(facts)) ?? []),
    ...logs.flatMap(([source, log]) => findingsOf(log, source, context)),
  ]
  const secrets = secretsOf(facts)
  const shown = findings.map((finding) => ({
    ...finding,
    what: redactText(finding.what, secrets),
  }))
  return { facts, answer, findings: inOrder(shown) }
}
