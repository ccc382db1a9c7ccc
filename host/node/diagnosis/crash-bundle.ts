import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { messageOf } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { redactText } from '../../base/log/redact-text.ts'
import { formatTime } from '../../base/time.ts'
import { decodeCommit } from '../../chain/consensus/comet/commit.ts'
import { APP_HASH_KEY, readMarkerWord, VERSION_KEY } from '../../storage/commit/commit-markers.ts'
import { crashFolder } from '../home/home.ts'
import { tarArchive } from '../tar-archive.ts'
import { VERSION } from '../version.ts'
import { readModule } from '../wasm.ts'
import type { Diagnosis } from './diagnose.ts'
import { peek } from './home-facts.ts'
import type { LogTail } from './log-tail.ts'
import { isCommand, secretsOf } from './secrets.ts'

const MODULES = ['engine', 'commit', 'modules', 'pairing', 'recovery'] as const

/** Maximum Node reports included, latest first; they are long. */
const MOST_REPORTS = 3

function upper(bytes: Uint8Array): string {
  return hexDigits(bytes).toUpperCase()
}

async function versions(): Promise<object> {
  const wasm: Record<string, string> = {}
  for (const name of MODULES) {
    try {
      wasm[name] = createHash('sha256')
        .update(await readModule(name))
        .digest('hex')
    } catch (thrown) {
      wasm[name] = messageOf(thrown)
    }
  }
  const { node, v8 } = process.versions
  const machine = {
    system: `${platform()} ${release()} ${arch()}`,
    processors: cpus().length,
    memory: totalmem(),
  }
  return { lockstep: VERSION, node, v8, ...machine, wasm }
}

/** Returns what can be read of the chain without opening it; an unreadable part has its error instead. */
function chainFacts({ facts, answer }: Diagnosis): object {
  const { home, newest, genesis, process: pid, kept } = facts
  const isRunning = pid !== undefined
  const attempt = <Result>(read: () => Result): Result | string => {
    try {
      return read()
    } catch (thrown) {
      return messageOf(thrown)
    }
  }
  const commit = attempt(() =>
    peek(home.data.stateCommit, isRunning, (env) => {
      const version = env.get('markers', VERSION_KEY)
      const appHash = env.get('markers', APP_HASH_KEY)
      if (version === undefined || appHash === undefined) return undefined
      return { height: readMarkerWord(version, 0), appHash: upper(appHash) }
    }),
  )
  const blockId = attempt(() =>
    peek(join(home.data.directory, 'blockstore.db'), isRunning, (env) => {
      const last = env.last('commits')
      return last && upper(decodeCommit(last.value).blockId.hash)
    }),
  )
  return {
    chainId: genesis?.consensusChainId,
    genesisHash: kept?.hash,
    process: pid,
    answer,
    newestBlock: newest && {
      height: newest.height,
      time: formatTime(newest.time),
      commitHash: blockId,
      appHashBefore: upper(newest.appHash),
    },
    stateCommit: commit,
    signed: attempt(() => signedPosition(home.data.validatorState)),
  }
}

/** Returns a validator's last signed height, round and step, without the signature. */
function signedPosition(path: string): object | undefined {
  if (!existsSync(path)) return undefined
  const { height, round, step } = JSON.parse(readFileSync(path, 'utf8'))
  return { height, round, step }
}

/** Returns the reports that Node wrote in crashes, without environment variables. */
function crashReports({ facts }: Diagnosis): { name: string; text: string }[] {
  const folder = crashFolder(facts.home)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names
    .sort()
    .slice(-MOST_REPORTS)
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      try {
        const { environmentVariables: _, ...report } = JSON.parse(text)
        return { name: `crash/${name}`, text: JSON.stringify(report, null, 2) }
      } catch {
        // The unparsed text of a truncated report may contain the variables.
        return { name: `crash/${name}`, text: 'the report is truncated' }
      }
    })
}

/** Returns the stacks of errors in a log. */
function stacksOf(lines: readonly string[]): string {
  return lines
    .flatMap((line) => {
      const quoted = /\bstack"?[=:]("(?:[^"\\]|\\.)*")/.exec(line)?.[1]
      return quoted === undefined ? [] : [`${line.slice(0, 200)}\n${JSON.parse(quoted)}\n`]
    })
    .join('\n')
}

/**
 * Returns a .tar.gz for a crash report: end of the log, stacks, versions, configuration, heights and hashes, and the
 * doctor's findings. It contains no secrets.
 */
export async function crashBundle(
  diagnosis: Diagnosis,
  tail: LogTail,
  time: Date,
): Promise<Uint8Array> {
  const { home, inspected } = diagnosis.facts
  const secrets = secretsOf(diagnosis.facts)
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
  const readText = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch (thrown) {
      return `# ${messageOf(thrown)}\n`
    }
  }
  const settings = inspected.settings.filter(({ isDefault }) => !isDefault)
  const cut = tail.cut > 0 ? [`... ${tail.cut} lines omitted ...`] : []
  const files = [
    { name: 'versions.json', text: json(await versions()) },
    { name: 'chain.json', text: json(chainFacts(diagnosis)) },
    { name: 'findings.json', text: json(diagnosis.findings) },
    { name: 'log.txt', text: `${[...cut, ...tail.lines].join('\n')}\n` },
    { name: 'stacks.txt', text: stacksOf(tail.lines) },
    { name: 'config/app.toml', text: readText(home.config.app) },
    { name: 'config/config.toml', text: readText(home.config.consensus) },
    {
      name: 'settings.json',
      text: json(
        settings.map(({ entry, value, place }) => ({
          key: entry.flag,
          value: isCommand(entry.flag) || entry.isSecret === true ? '[redacted]' : value,
          ...place,
        })),
      ),
    },
    ...crashReports(diagnosis),
  ]
  const redacted = files.map(({ name, text }) => ({
    name: `lockstep-crash/${name}`,
    content: Buffer.from(redactText(text, secrets)),
  }))
  return gzipSync(tarArchive(redacted, time))
}
