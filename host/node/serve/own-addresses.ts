import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { addressError } from '../../api/server/listen-failure.ts'
import type { ListenAddress } from '../../base/config/listen-address.ts'
import { CONFIG_FILES, type Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Home } from '../home/home.ts'

/** A listening address and the flag of its key. */
export interface OwnAddress {
  readonly flag: string
  readonly address: ListenAddress
}

const DEFAULT_WS_PORT = CONFIG_FILES['app.toml'].sections.evm.ws_port.fallback

/**
 * Returns the addresses that a start listens on, except those that yield if taken.
 * @param isOwn false for an imported or a forked chain, which has no consensus and no services
 */
export function ownAddresses(config: Config, isOwn = true): readonly OwnAddress[] {
  const { rpc, evm, instrumentation, consensus, p2p, payments, wallets } = config
  const at = (port: number): ListenAddress => ({ host: evm.httpAddress, port })
  const rows: readonly (readonly [isUsed: boolean, flag: string, address: ListenAddress])[] = [
    [isOwn, 'rpc.laddr', rpc.laddr],
    [isOwn && consensus.engine === 'cometbft', 'p2p.laddr', p2p.laddr],
    [evm.httpEnabled, 'evm.http-port', at(evm.httpPort)],
    [evm.wsEnabled && evm.wsPort !== DEFAULT_WS_PORT, 'evm.ws-port', at(evm.wsPort)],
    [
      instrumentation.prometheus,
      'instrumentation.prometheus-listen-addr',
      instrumentation.prometheusListenAddr,
    ],
    [isOwn && payments.enable, 'payments.address', payments.address],
    [isOwn && wallets.enable, 'wallets.address', wallets.address],
  ]
  return rows.flatMap(([isUsed, flag, address]) =>
    isUsed && address.port !== 0 ? [{ flag, address }] : [],
  )
}

/** Returns why an address cannot be listened on; undefined if it is free. */
export function listenProblem({ host, port }: ListenAddress): Promise<LockstepError | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(addressError(host, port, error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/**
 * Checks for taken addresses before anything else is opened.
 * @throws PORT_IN_USE, INVALID_ARGUMENT with the key and the remedy
 */
export async function refuseTakenAddresses(
  { data }: Home,
  config: Config,
  isOwn = true,
): Promise<void> {
  for (const { flag, address } of ownAddresses(config, isOwn)) {
    // The start ends the CometBFT of a killed node, which frees its port.
    if (flag === 'p2p.laddr' && existsSync(join(data.comet, 'pid'))) continue
    const problem = await listenProblem(address)
    if (problem === undefined) continue
    const { code, message, cause } = problem
    throw new LockstepError(code, `${message} (${flag})`, { hint: takenHint(flag, address), cause })
  }
}

/** Returns the remedy for a port that another process uses. */
export function takenHint(flag: string, { port }: ListenAddress): string {
  return `end that process (\`ss -ltnp 'sport = :${port}'\` names it), or start with another --${flag}`
}
