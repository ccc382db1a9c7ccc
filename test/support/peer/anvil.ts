import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'
import { startProgram } from '../program.ts'

/** Path at which `npm install --prefix bench/peers` installs anvil. */
export const ANVIL: string = fileURLToPath(
  new URL('../../../bench/peers/node_modules/.bin/anvil', import.meta.url),
)

/** An anvil on a free loopback port, which mines on request. */
export interface Anvil {
  readonly url: string
  stop(): Promise<unknown>
}

export async function startAnvil(chainId: number, args: readonly string[] = []): Promise<Anvil> {
  const own = ['--port', '0', '--chain-id', String(chainId), '--no-mining', '--steps-tracing']
  const { says, stop } = startProgram([ANVIL, ...own, ...args])
  const port = await says((output) => /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1])
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** A frame of callTracer. */
export interface Frame {
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { readonly index?: Hex }[]
  readonly error?: string
}

/** anvil's error messages that differ from geth's. */
const ERRORS: Readonly<Record<string, string>> = { OutOfOffset: 'return data out of bounds' }

/**
 * Returns a frame without anvil's differences from geth: it counts logs from the start of the transaction, while
 * geth's golden files have Lockstep's numbers, and has other names for some failures.
 */
function comparable({ calls, logs, error, ...rest }: Frame): object {
  return {
    ...rest,
    ...(error !== undefined && { error: ERRORS[error] ?? error }),
    ...(calls !== undefined && { calls: calls.map(comparable) }),
    ...(logs !== undefined && { logs: logs.map(({ index: _, ...log }) => log) }),
  }
}

/**
 * Returns a root frame without `gas`: anvil's is the gas left after the intrinsic gas, geth's the transaction's
 * limit.
 */
export function withoutLimit({ gas: _, ...frame }: Frame & { readonly gas?: Hex }): object {
  return comparable(frame)
}
