import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DEV_MNEMONIC } from '../../base/dev-accounts.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { newMnemonic } from '../../wallet/keys/mnemonic.ts'
import { accountFile, renderAnvilBanner } from './anvil-banner.ts'
import { ANVIL_FLAGS, anvilFlagNames } from './anvil-flags.ts'
import type { PassedAnvilFlag } from './anvil-options.ts'
import { runStart, type StartFlags } from './run-start.ts'

/** Settings of a run without flags: as anvil's, and with ports that two runs beside each other do not share. */
const ANVIL_DEFAULTS: Readonly<Record<string, string>> = {
  'dev.automine': 'true',
  'dev.slots-in-an-epoch': '32',
  'rpc.laddr': 'tcp://127.0.0.1:0',
  'evm.ws-port': '0',
}

const WORD_COUNTS = [12, 15, 18, 21, 24] as const

/** @throws INVALID_ARGUMENT naming the flag and the reason */
function refuseUnsupported(passed: readonly PassedAnvilFlag[]): void {
  for (const { row, name } of passed) {
    if (!('refusedBecause' in row)) continue
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `--${name} is not supported: ${row.refusedBecause}`,
      {
        hint: 'omit it, or run anvil itself',
      },
    )
  }
}

function invalidFlag(name: string, value: string, rule: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `--${name} ${value}: ${rule}`, { hint })
}

/** Returns the number of words to draw. */
function wordsOf(value: string | true): (typeof WORD_COUNTS)[number] {
  const count = WORD_COUNTS.find((each) => value === true || String(each) === value)
  if (count !== undefined) return count
  const rule = 'a mnemonic has 12, 15, 18, 21 or 24 words'
  throw invalidFlag('mnemonic-random', String(value), rule, 'write one of these numbers')
}

/** What the flags of a command line of `lockstep anvil` mean. */
export interface AnvilRun {
  /** Configuration keys, by `ConfigEntry.flag`. */
  readonly settings: ReadonlyMap<string, string>
  readonly chainId: string | undefined
  readonly isQuiet: boolean
  /** File for the accounts; undefined if none was asked for. */
  readonly accountsPath: string | undefined
  /** True if the mnemonic is new: its keys exist for this run only. */
  readonly isRandom: boolean
}

/** @throws INVALID_ARGUMENT if a flag is not supported or contradicts another */
export function readAnvilRun(passed: readonly PassedAnvilFlag[]): AnvilRun {
  refuseUnsupported(passed)
  const value = (name: string) => passed.find((flag) => flag.name === name)?.value
  const text = (name: string) => value(name) as string | undefined
  const settings = new Map(Object.entries(ANVIL_DEFAULTS))
  for (const flag of passed) {
    if (!('sets' in flag.row)) continue
    for (const [key, to] of Object.entries(flag.row.sets(String(flag.value)))) settings.set(key, to)
  }
  // Whatever the order of the two rows.
  if (value('mixed-mining')) settings.set('dev.automine', 'true')
  const block = text('fork-block-number')
  if (block !== undefined) {
    if (!/^\d+$/.test(block)) {
      throw invalidFlag(
        'fork-block-number',
        block,
        'must be a block number',
        'write a number from 0',
      )
    }
    settings.set('dev.fork-block', block)
  }
  const chainId = text('chain-id')
  const isFork = settings.has('dev.fork')
  if (chainId !== undefined && isFork) settings.set('dev.fork-chain-id', chainId)
  const words = value('mnemonic-random')
  if (words !== undefined) {
    if (settings.has('dev.mnemonic')) {
      throw invalidFlag('mnemonic-random', '', 'there is a --mnemonic as well', 'omit one of them')
    }
    settings.set('dev.mnemonic', newMnemonic(wordsOf(words)))
  }
  const isQuiet = value('quiet') !== undefined
  if (isQuiet) settings.set('log-level', 'error')
  return {
    settings,
    chainId: isFork ? undefined : chainId,
    isQuiet,
    accountsPath: text('config-out'),
    isRandom: words !== undefined,
  }
}

/** Returns a text with the flags of anvil in place of the keys that they set. */
function withAnvilFlags(text: string): string {
  return text.replace(/--([a-z]+\.[a-z-]+)/g, (flag, key: string) => {
    const row = ANVIL_FLAGS.find((each) => each.key === key)
    return row === undefined ? flag : `--${anvilFlagNames(row)[0]}`
  })
}

/** Returns an error of the node with the flags that the caller knows. */
function inAnvilTerms(thrown: unknown): unknown {
  if (!(thrown instanceof LockstepError)) return thrown
  const { code, message, hint, data } = thrown
  return new LockstepError(code, withAnvilFlags(message), {
    hint: withAnvilFlags(hint),
    data,
    cause: thrown,
  })
}

/** @throws INVALID_ARGUMENT if the file of --config-out cannot be one */
function refuseAccountsPath(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    throw invalidFlag('config-out', path, 'it is not a file', 'name a file')
  }
  if (!existsSync(dirname(resolve(path)))) {
    throw invalidFlag('config-out', path, 'its folder does not exist', 'create the folder first')
  }
}

/** Writes the file of --config-out, which contains keys: only its owner may read it, also if it existed. */
function writeAccounts(path: string, text: string): void {
  try {
    // Replaced, as anvil does. An existing file may be open to others.
    rmSync(path, { force: true })
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (thrown) {
    throw invalidFlag('config-out', path, messageOf(thrown), 'name a file that can be written')
  }
}

/** Runs a development chain as anvil does, until it is stopped. */
export async function runAnvil(passed: readonly PassedAnvilFlag[]): Promise<void> {
  const { settings, chainId, isQuiet, accountsPath, isRandom } = readAnvilRun(passed)
  if (accountsPath !== undefined) refuseAccountsPath(accountsPath)
  const mnemonic = settings.get('dev.mnemonic') ?? DEV_MNEMONIC
  const showsKeys = isRandom || mnemonic === DEV_MNEMONIC
  const banner: StartFlags['banner'] = ({ urls, chainId: id, developers }) => {
    if (developers !== undefined && accountsPath !== undefined) {
      writeAccounts(accountsPath, accountFile(developers))
    }
    const text = renderAnvilBanner({ rpc: urls.rpc, chainId: id, developers, showsKeys })
    return isQuiet ? '' : text
  }
  const flags = {
    dev: true,
    isTemporary: true,
    banner,
    // Programs that start anvil take any output on stderr for a failure.
    logsToStdout: true,
    ...(chainId !== undefined && { chainId }),
  }
  try {
    await runStart(flags as StartFlags, settings)
  } catch (thrown) {
    throw inAnvilTerms(thrown)
  }
}
