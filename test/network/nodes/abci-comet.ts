import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Genesis } from '../../../host/evm/chain-types/genesis.ts'
import { encodeGenesis } from '../../../host/evm/chain-types/genesis-codec.ts'
import { freePort } from '../../support/http-server.ts'
import { startProgram } from '../../support/program.ts'

/** A CometBFT with one validator and the application at a socket. */
export interface AbciComet {
  readonly url: string
  readonly output: () => string
  readonly hasEnded: () => boolean
  /** Returns the result of a route, or rejects with its error. */
  call<Result>(method: string, params?: Record<string, unknown>): Promise<Result>
  stop(signal?: NodeJS.Signals): Promise<unknown>
}

/** Lines of config.toml that replace those of `cometbft init`. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [/^timeout_commit = .*$/m, 'timeout_commit = "50ms"'],
  [/^log_level = .*$/m, 'log_level = "error"'],
]

/** Creates the home of a validator with CometBFT. Returns its public key. */
export function initComet(program: string, home: string): Uint8Array {
  const init = spawnSync(program, ['init', '--home', home], { encoding: 'utf8' })
  if (init.status !== 0) throw new Error(`cometbft init: ${init.stderr}`)
  const path = join(home, 'config/config.toml')
  let config = readFileSync(path, 'utf8')
  for (const [line, setting] of SETTINGS) config = config.replace(line, setting)
  writeFileSync(path, config)
  const key = JSON.parse(readFileSync(join(home, 'config/priv_validator_key.json'), 'utf8'))
  return new Uint8Array(Buffer.from(key.pub_key.value, 'base64'))
}

export async function startAbciComet(
  program: string,
  home: string,
  genesis: Genesis,
  socket: string,
): Promise<AbciComet> {
  writeFileSync(join(home, 'config/genesis.json'), encodeGenesis(genesis))
  const port = await freePort()
  const args = ['--home', home, '--proxy_app', `unix://${socket}`]
  args.push('--rpc.laddr', `tcp://127.0.0.1:${port}`, '--p2p.laddr', 'tcp://127.0.0.1:0')
  const { process: child, output, stop } = startProgram([program, 'start', ...args])
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async call(method, params = {}) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', body })
      const { result, error } = (await response.json()) as { result: never; error?: object }
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    },
    stop,
  }
}
