import { type Command, InvalidArgumentError } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { type AccountKey, randomKey } from '../../evm/chain-types/account-key.ts'
import { keyFromMnemonic, newMnemonic } from '../../wallet/keys/mnemonic.ts'
import { askHidden, readInput } from '../option/hidden-prompt.ts'
import { homeOption } from '../option/home-option.ts'
import { newPassphrase, passwordFileOption } from '../option/passphrase.ts'
import { keyJson, keyringOf, lightKdfOption, printKept, scryptCostOf } from './keyring-of.ts'

interface AddFlags {
  readonly home?: string
  readonly passwordFile?: string
  readonly mnemonic?: true
  readonly recover?: true
  readonly index: number
  readonly lightKdf?: true
  readonly json?: true
}

/** BIP-32: indexes above this are hardened. */
const MAX_INDEX = 2 ** 31 - 1

const WRITE_DOWN =
  'Write these words down and keep them secret: they are not shown again, and anyone who has them has the key\n'

function parseIndex(text: string): number {
  const index = Number(text)
  if (/^\d+$/.test(text) && index <= MAX_INDEX) return index
  throw new InvalidArgumentError(`it must be an integer from 0 to ${MAX_INDEX}.`)
}

async function readWords(): Promise<string> {
  return process.stdin.isTTY ? await askHidden('Words of the mnemonic: ') : await readInput()
}

async function make(flags: AddFlags): Promise<{ key: AccountKey; words: string | undefined }> {
  if (flags.recover !== undefined) {
    return { key: keyFromMnemonic(await readWords(), flags.index), words: undefined }
  }
  if (flags.mnemonic === undefined) return { key: randomKey(), words: undefined }
  const words = newMnemonic()
  return { key: keyFromMnemonic(words, flags.index), words }
}

function refuseContradiction({ mnemonic, recover, index }: AddFlags): void {
  const problem =
    mnemonic !== undefined && recover !== undefined
      ? '--mnemonic creates new words, and --recover reads existing ones'
      : mnemonic === undefined && recover === undefined && index !== 0
        ? '--index needs a mnemonic'
        : undefined
  if (problem === undefined) return
  throw new LockstepError('INVALID_ARGUMENT', problem, {
    hint: 'pass one of --mnemonic and --recover',
  })
}

export function defineKeysAdd(command: Command): void {
  command
    .argument('<name>', 'name of the key')
    .option('--mnemonic', 'create the key from 24 new words, which are printed once')
    .option(
      '--recover',
      'create the key from an existing mnemonic, read from a prompt or the input',
    )
    .option('--index <N>', "account of the mnemonic, at m/44'/60'/0'/0/N", parseIndex, 0)
    .addOption(passwordFileOption())
    .addOption(lightKdfOption())
    .addOption(homeOption())
    .option('--json', 'print JSON')
    .action(async (name: string, flags: AddFlags) => {
      refuseContradiction(flags)
      const keyring = keyringOf(flags.home)
      await keyring.requireFree(name)
      const { key, words } = await make(flags)
      const passphrase = await newPassphrase(flags.passwordFile, name)
      const kept = await keyring.add(name, key, passphrase, scryptCostOf(flags.lightKdf))
      if (words === undefined) return printKept(kept, flags.json)
      process.stderr.write(WRITE_DOWN)
      if (flags.json === undefined) {
        printKept(kept, undefined)
        process.stdout.write(`${words}\n`)
      } else process.stdout.write(`${JSON.stringify({ ...keyJson(kept), mnemonic: words })}\n`)
    })
}
