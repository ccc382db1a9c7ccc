import { Option } from 'commander'
import type { ListenAddress } from '../../base/config/listen-address.ts'
import { LockstepError } from '../../base/error.ts'
import type { Home } from '../../node/home/home.ts'
import { configOf } from '../option/home-option.ts'
import { parseUrl } from './node-client.ts'
import { readReadyFile } from './ready-file.ts'

/** A server that listens on every address is reached on the loopback address. */
export function reachableUrl({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The `--node` flag of commands that call the EVM JSON-RPC. */
export function nodeOption(): Option {
  return new Option('--node <URL>', 'EVM JSON-RPC of the node (default: that of the home)')
}

/**
 * Returns the URL of the EVM JSON-RPC: that of the flag, else of the home's running node, else of its configuration.
 * @throws UNSUPPORTED if the node has it turned off
 */
export function evmUrl(home: Home, flag: string | undefined): string {
  if (flag !== undefined) return parseUrl(flag, '--node')
  const running = readReadyFile(home.running)
  const { evm } = configOf(home)
  const configured = reachableUrl({ host: evm.httpAddress, port: evm.httpPort })
  const url = running === undefined ? configured : running.rpc
  if (url !== null) return url
  throw new LockstepError('UNSUPPORTED', `the node of ${home.root} has no EVM JSON-RPC`, {
    hint: 'turn evm.http_enabled on, or pass another node with --node',
  })
}

/**
 * Returns the explorer page of a transaction; undefined if the URL is not of the home's node, or if that serves none.
 */
export function explorerPage(home: Home, url: string, hash: string): string | undefined {
  const running = readReadyFile(home.running)
  if (running === undefined || running.rpc !== url || running.explorer === null) return undefined
  return `${running.explorer}/tx/${hash}`
}
