import { spawn } from 'node:child_process'
import { until } from '../until.ts'
import { freePort } from './cometbft.ts'

/** CometBFT's light client: a proxy that believes only what it has proven, each block by the one before. */
export interface CometBftLight {
  readonly url: string
  /** Its log, which names each block that it has proven. */
  output(): string
  stop(): Promise<void>
}

export interface LightOptions {
  readonly chainId: string
  readonly primary: string
  readonly witness: string
  readonly height: number
  /** Hex of the trusted block's hash. */
  readonly hash: string
}

/** @throws Error with its log when it ends before it answers */
export async function startCometBftLight(
  program: string,
  home: string,
  { chainId, primary, witness, height, hash }: LightOptions,
): Promise<CometBftLight> {
  const port = await freePort()
  const args = ['light', chainId, '--primary', primary, '--witnesses', witness]
  args.push('--height', String(height), '--hash', hash, '--home-dir', home)
  args.push('--laddr', `tcp://127.0.0.1:${port}`, '--sequential', '--verbose')
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const keep = (chunk: Buffer): void => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`cometbft light has ended:\n${output}`)
    const response = await fetch(`${url}/health`).catch(() => undefined)
    return response?.ok === true
  })
  return {
    url,
    output: () => output,
    stop: () => {
      child.kill()
      return exited
    },
  }
}
