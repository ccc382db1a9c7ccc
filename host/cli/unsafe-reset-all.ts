import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { cometAddress } from '../chain/consensus/comet/validator-set.ts'
import { readValidatorKey } from '../chain/consensus/validator/key-file.ts'
import { signRecordPath } from '../chain/consensus/validator/sign-record.ts'
import { UNSIGNED, writeSignState } from '../chain/consensus/validator/sign-state.ts'
import type { Home } from '../node/home/home.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { chooseHome, homeOption, requireHome } from './option/home-option.ts'

interface ResetFlags {
  readonly home?: string
  readonly keepAddrBook?: true
}

const FORGOTTEN =
  'The record of signed blocks is deleted: if another node has blocks of the chain, do not use this key on it again: ' +
  'it would sign heights twice\n'

function keptPayments(folder: string): string {
  return (
    `Kept ${folder}: payments cannot be synced again, and none of them may be presented again. ` +
    'Remove it if the chain starts over\n'
  )
}

/** Returns the signing state beside the key; undefined if there is no key. */
async function signedBeside({ config: { validatorKey } }: Home): Promise<string | undefined> {
  if (!existsSync(validatorKey)) return undefined
  const { publicKey } = await readValidatorKey(validatorKey)
  return signRecordPath(validatorKey, cometAddress(publicKey))
}

async function resetData(home: Home, keepAddressBook: boolean): Promise<void> {
  const { directory, addressBook, validatorState, payments } = home.data
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const kept = keepAddressBook ? [payments, addressBook] : [payments]
  const keeps = kept.map((path) => basename(path))
  for (const name of readdirSync(directory)) {
    if (!keeps.includes(name)) rmSync(join(directory, name), { recursive: true, force: true })
  }
  process.stderr.write(`Removed all blockchain history in ${directory}\n`)
  if (existsSync(payments)) process.stderr.write(keptPayments(payments))
  const wasm = join(home.root, 'wasm')
  if (existsSync(wasm)) {
    rmSync(wasm, { recursive: true, force: true })
    process.stderr.write(`Removed ${wasm}\n`)
  }
  const record = await signedBeside(home)
  const hasSigned = record !== undefined && existsSync(record)
  if (hasSigned) rmSync(record)
  await writeSignState(validatorState, UNSIGNED)
  process.stderr.write(`Reset the validator's signing state in ${validatorState}\n`)
  if (hasSigned) process.stderr.write(FORGOTTEN)
}

export function defineUnsafeResetAll(command: Command): void {
  command
    .addOption(homeOption())
    .option('--keep-addr-book', 'keep the addresses of known peers')
    .action(async (flags: ResetFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const lock = lockHome(home)
      try {
        await resetData(home, flags.keepAddrBook ?? false)
      } finally {
        lock.release()
      }
    })
}
