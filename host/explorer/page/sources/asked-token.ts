import { type Hex, parseData } from '../../../base/hex.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { AccountEdit } from '../../browser/edit/changes.ts'
import { edit } from '../../browser/edit.ts'
import type { OpenBundle } from '../../browser/open-bundle.ts'
import { replay } from '../../browser/replay.ts'
import type { AccountChange, CallNode } from '../../browser/step/stepper.ts'
import type { KnownToken } from '../decode/abi/contract-registry.ts'
import { decodeValues } from '../decode/abi/decode-values.ts'
import { wordText } from '../decode/format/bytes-text.ts'
import { textField } from '../decode/format/json-field.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import { isCreation } from '../decode/words/call-words.ts'

/** A run whose tokens are asked. */
export interface TokenRun {
  readonly bundle: OpenBundle
  /** Index of the transaction in the bundle. */
  readonly index: number
  readonly calls: readonly CallNode[]
  readonly changes: readonly AccountChange[]
  /** Answers what the run did not read; undefined without a node. */
  readonly after: AsyncStateView | undefined
}

const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'
const GAS = 1_000_000n

/** A symbol is shown beside each amount. */
const LONGEST_SYMBOL = 20
/** An amount of 256 bits has 78 digits. */
const MOST_DECIMALS = 77n

/**
 * Asks a contract for its symbol and decimals by running these functions in the state after the transaction. A member
 * that it does not answer, or that depends on values which nothing knows, is left out.
 */
export async function askToken(
  run: TokenRun,
  token: Hex,
  signal: AbortSignal,
): Promise<KnownToken> {
  const accounts = accountsAfter(run, token)
  const symbol = symbolOf(await ask(run, token, accounts, SYMBOL, signal))
  const decimals = decimalsOf(await ask(run, token, accounts, DECIMALS, signal))
  return {
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  }
}

/** Returns the output of a function without arguments; undefined if it fails or reads unknown values. */
async function ask(
  { bundle, index, after }: TokenRun,
  token: Hex,
  accounts: readonly AccountEdit[],
  input: Hex,
  signal: AbortSignal,
): Promise<Hex | undefined> {
  // The token is the sender too: it pays no fees, and its account is in the record.
  const transaction = { from: token, to: token, input, value: 0n, gas: GAS }
  const asked = await edit(
    bundle,
    { transaction, accounts },
    { transaction: index, signal, ...(after && { source: after }) },
  )
  try {
    if (asked.assumed.some(({ kind }) => kind === 'storage' || kind === 'code')) return undefined
    const traced = await replay(asked, { tracer: 'callTracer', signal })
    if (textField(traced, 'error') !== undefined) return undefined
    return textField(traced, 'output') as Hex | undefined
  } finally {
    asked.close()
  }
}

/** Returns what the transaction wrote to a token, and the contracts that it created. */
function accountsAfter({ calls, changes }: TokenRun, token: Hex): AccountEdit[] {
  const created = new Map(
    calls
      .filter((call) => isCreation(call) && call.fault === undefined)
      .map(({ to, output }) => [to, output]),
  )
  return changes.flatMap(({ address, codeHash, slots }) => {
    const code = codeHash[0] === codeHash[1] ? undefined : created.get(address)
    if (address !== token && code === undefined) return []
    const after = Object.fromEntries(slots.map((one) => [one.slot, one.after]))
    return [{ address, slots: after, ...(code !== undefined && { code }) }]
  })
}

/** Reads a string, or text in 32 bytes as early tokens return it. */
function symbolOf(output: Hex | undefined): string | undefined {
  if (output === undefined) return undefined
  const bytes = parseData(output)
  const [value] = decodeValues([{ type: 'string' }], bytes).values
  const text = typeof value?.data === 'string' ? value.data : early(bytes)
  const shown = middleCut(safeText(text.trim()), LONGEST_SYMBOL)
  return shown === '' ? undefined : shown
}

function early(bytes: Uint8Array): string {
  return bytes.length === 32 ? (wordText(bytes)?.slice(1, -1) ?? '') : ''
}

function decimalsOf(output: Hex | undefined): number | undefined {
  if (output === undefined) return undefined
  const [value] = decodeValues([{ type: 'uint256' }], parseData(output)).values
  const count = value?.data
  return typeof count === 'bigint' && count <= MOST_DECIMALS ? Number(count) : undefined
}
