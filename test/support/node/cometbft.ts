import { spawnSync } from 'node:child_process'
import { freePort } from '../http-server.ts'
import { startProgram } from '../program.ts'

/** Path of a CometBFT to compare with, or undefined if none is configured. */
export const COMETBFT: string | undefined = process.env.LOCKSTEP_COMETBFT || undefined

/** Suffix of test names with the reason why tests are skipped without CometBFT, or an empty string. */
export const WITHOUT_COMETBFT: string =
  COMETBFT === undefined ? ': LOCKSTEP_COMETBFT names no cometbft' : ''

/** A CometBFT with one validator and its own application, or its light client. */
export interface CometBft {
  readonly url: string
  output(): string
  stop(): Promise<unknown>
}

/** Starts the CometBFT at `program` with its key-value store in a new home, and waits for two blocks. */
export async function startCometBft(program: string, home: string): Promise<CometBft> {
  const init = spawnSync(program, ['init', '--home', home], { encoding: 'utf8' })
  if (init.status !== 0) throw new Error(`cometbft init: ${init.stderr}`)
  const args = ['--home', home, '--proxy_app', 'kvstore', '--p2p.laddr', 'tcp://127.0.0.1:0']
  return serve(program, ['start', ...args, '--rpc.laddr'], '/block?height=2')
}

/** Starts it on a free port, whose address is appended to the arguments, and waits until it responds to a path. */
async function serve(program: string, args: readonly string[], path: string): Promise<CometBft> {
  const port = await freePort()
  const { says, stop, output } = startProgram([program, ...args, `tcp://127.0.0.1:${port}`])
  const url = `http://127.0.0.1:${port}`
  await says(async () => {
    const response = await fetch(`${url}${path}`).catch(() => undefined)
    return response?.ok === true ? true : undefined
  })
  return { url, output, stop }
}

export interface LightOptions {
  readonly chainId: string
  readonly primary: string
  readonly witness: string
  readonly height: number
  /** Hash of the trusted block, in hex. */
  readonly hash: string
}

/**
 * Starts CometBFT's light client: a proxy that only returns what it has verified, each block from the previous one.
 * Its log names each verified block.
 * @throws Error with its log if it ends before it responds
 */
export function startCometBftLight(
  program: string,
  home: string,
  { chainId, primary, witness, height, hash }: LightOptions,
): Promise<CometBft> {
  const args = ['light', chainId, '--primary', primary, '--witnesses', witness]
  args.push('--height', String(height), '--hash', hash, '--home-dir', home)
  return serve(program, [...args, '--sequential', '--verbose', '--laddr'], '/health')
}
