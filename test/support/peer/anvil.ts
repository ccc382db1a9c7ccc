import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'

/** Where `npm install --prefix bench/peers` puts it. */
export const ANVIL: string = fileURLToPath(
  new URL('../../../bench/peers/node_modules/.bin/anvil', import.meta.url),
)

/** An anvil on a free port of loopback, which mines when told to. */
export interface Anvil {
  readonly url: string
  stop(): Promise<void>
}

export async function startAnvil(chainId: number, args: readonly string[] = []): Promise<Anvil> {
  const own = ['--port', '0', '--chain-id', String(chainId), '--no-mining', '--steps-tracing']
  const child = spawn(ANVIL, [...own, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    child.on('exit', () => reject(new Error(`anvil ended:\n${output}`)))
  })
  return {
    url,
    stop: () => {
      child.kill()
      return ended
    },
  }
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
