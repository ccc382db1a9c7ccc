import { Option } from 'commander'
import type { ListenAddress } from '../../base/config/listen-address.ts'
import { LockstepError } from '../../base/error.ts'
import type { Home } from '../../node/home/home.ts'
import { configOf } from '../option/home-option.ts'
import { parseUrl } from './node-client.ts'
import { readReadyFile } from './ready-file.ts'

/** A server that listens on every address is reached on the loopback one. */
export function urlOf({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The `--node` flag of commands that call the EVM JSON-RPC. */
export function nodeOption(): Option {
  return new Option('--node <URL>', 'EVM JSON-RPC of the node (default: that of the home)')
}

/**
 * Where the EVM JSON-RPC answers: what the flag names, else the running node of the home, else by its
 * configuration.
 * @throws UNSUPPORTED where the node has it turned off
 */
export function evmUrl(home: Home, flag: string | undefined): string {
  if (flag !== undefined) return parseUrl(flag, '--node')
  const running = readReadyFile(home.running)
  const { evm } = configOf(home)
  const configured = urlOf({ host: evm.httpAddress, port: evm.httpPort })
  const url = running === undefined ? configured : running.rpc
  if (url !== null) return url
  throw new LockstepError('UNSUPPORTED', `the node of ${home.root} has no EVM JSON-RPC`, {
    hint: 'turn evm.http_enabled on, or pass another node with --node',
  })
}

/** Page of the explorer that shows a transaction; undefined where the URL is not of the home's node, or that serves none. */
export function explorerPage(home: Home, url: string, hash: string): string | undefined {
  const running = readReadyFile(home.running)
  if (running === undefined || running.rpc !== url || running.explorer === null) return undefined
  return `${running.explorer}/tx/${hash}`
}
