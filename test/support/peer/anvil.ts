import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'
import { startProgram } from '../program.ts'

/** Where `npm install --prefix bench/peers` puts it. */
export const ANVIL: string = fileURLToPath(
  new URL('../../../bench/peers/node_modules/.bin/anvil', import.meta.url),
)

/** An anvil on a free port of loopback, which mines when told to. */
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

/** Texts of anvil for which geth has others. */
const ERRORS: Readonly<Record<string, string>> = { OutOfOffset: 'return data out of bounds' }

/**
 * A frame without what anvil does differently from geth: it counts logs from the transaction (geth's
 * golden files hold our numbers), and has names of its own for some failures.
 */
function comparable({ calls, logs, error, ...rest }: Frame): object {
  return {
    ...rest,
    ...(error !== undefined && { error: ERRORS[error] ?? error }),
    ...(calls !== undefined && { calls: calls.map(comparable) }),
    ...(logs !== undefined && { logs: logs.map(({ index: _, ...log }) => log) }),
  }
}

/** anvil's root frame has the gas left after the intrinsic gas, geth's the transaction's limit. */
export function withoutLimit({ gas: _, ...frame }: Frame & { readonly gas?: Hex }): object {
  return comparable(frame)
}
