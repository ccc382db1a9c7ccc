import { type Command, InvalidArgumentError } from 'commander'
import { nodeOption } from '../client/node-address.ts'
import { readAmount } from '../option/amount.ts'
import { homeOption } from '../option/home-option.ts'
import { passwordFileOption } from '../option/passphrase.ts'

/** The flags of every command of `tx`. Amounts are wei. */
export interface TxFlags {
  readonly home?: string
  readonly node?: string
  readonly passwordFile?: string
  readonly nonce?: bigint
  readonly gas?: bigint
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly dryRun?: true
  /** False with `--no-wait`. */
  readonly wait: boolean
  /** Seconds. */
  readonly timeout: number
  readonly json?: true
}

const MAX_U64 = 2n ** 64n - 1n

/** Maximum delay of a timer, in seconds. */
const MAX_TIMEOUT = 2_000_000

function integerFlag(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : MAX_U64 + 1n
  if (value <= MAX_U64) return value
  throw new InvalidArgumentError(`it must be an integer from 0 to ${MAX_U64}.`)
}

export function amountFlag(text: string): bigint {
  const amount = readAmount(text)
  if (amount !== undefined) return amount
  throw new InvalidArgumentError('it must be an amount such as 1ether, 5gwei or 7.')
}

function secondsFlag(text: string): number {
  const seconds = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= MAX_TIMEOUT) return seconds
  throw new InvalidArgumentError(`it must be seconds, at most ${MAX_TIMEOUT}.`)
}

/** Adds the flags of `TxFlags`. */
export function addTxFlags(command: Command): Command {
  return command
    .addOption(nodeOption())
    .addOption(passwordFileOption())
    .option(
      '--nonce <N>',
      'nonce (default: the next one, including pending transactions)',
      integerFlag,
    )
    .option('--gas <GAS>', "gas limit (default: the node's estimate)", integerFlag)
    .option('--gas-price <AMOUNT>', 'gas price: makes a legacy transaction', amountFlag)
    .option(
      '--max-fee-per-gas <AMOUNT>',
      'maximum fee per gas (default: twice the base fee plus the tip)',
      amountFlag,
    )
    .option(
      '--max-priority-fee-per-gas <AMOUNT>',
      "tip per gas (default: the node's suggestion)",
      amountFlag,
    )
    .option('--dry-run', 'print the transaction without sending it')
    .option('--no-wait', 'print the hash and do not wait for the block')
    .option('--timeout <SECONDS>', 'maximum wait for the block', secondsFlag, 60)
    .addOption(homeOption())
    .option('--json', 'print JSON')
}
