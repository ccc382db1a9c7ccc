import type { TomlLiteral } from '../../base/config/value-type.ts'
import { LockstepError } from '../../base/error.ts'

/** Ports of a node. */
export interface NodePorts {
  readonly p2p: number
  readonly consensus: number
  readonly metrics: number
  readonly evm: number
  readonly evmSocket: number
}

/** A planned node of a network, without keys. */
export interface PlannedNode {
  /** Folder name and moniker: `validator-1`, `full-2`. */
  readonly name: string
  readonly mode: 'validator' | 'full'
  /** Voting power; 0 for a full node. */
  readonly power: number
  /** Address by which the others reach it. */
  readonly host: string
  readonly ports: NodePorts
  /** Settings in addition to addresses and peers, by `ConfigEntry.flag`. */
  readonly settings: Readonly<Record<string, TomlLiteral>>
}

/** A setting for some of the nodes. */
export interface NodeSetting {
  /** Name of a node, or a mode; undefined for all nodes. */
  readonly target: string | undefined
  readonly flag: string
  readonly value: TomlLiteral
}

export interface PlanOptions {
  /** Voting power of each validator. */
  readonly powers: readonly number[]
  readonly full: number
  /** Hosts of the nodes, validators first; empty if all run on this machine. */
  readonly hosts: readonly string[]
  readonly basePort: number
  readonly evmPort: number
  readonly settings: readonly NodeSetting[]
}

/** Loopback address of nodes that share a machine. */
const LOCAL = '127.0.0.1'

/** Port offset between nodes on the same machine. */
const STRIDE = 10

const MAX_PORT = 65_535

/** Returns a node's ports: CometBFT's, from the base on, and those of the EVM JSON-RPC. */
function portsOf(basePort: number, evmPort: number): NodePorts {
  return {
    p2p: basePort,
    consensus: basePort + 1,
    metrics: basePort + 4,
    evm: evmPort,
    evmSocket: evmPort + 1,
  }
}

function invalid(message: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message, { hint })
}

function refusePorts(nodes: readonly PlannedNode[], { basePort, evmPort }: PlanOptions): void {
  const users = new Map<string, string>()
  for (const { name, host, ports } of nodes) {
    for (const port of Object.values(ports)) {
      if (port > MAX_PORT) {
        throw invalid(
          `ports of ${name} go up to ${port}, above ${MAX_PORT}`,
          'pass a lower --base-port or --evm-port',
        )
      }
      const other = users.get(`${host}:${port}`)
      if (other !== undefined) {
        throw invalid(
          `--base-port ${basePort} and --evm-port ${evmPort} give port ${port} to ${other} and ${name}`,
          'pass ports that are further apart',
        )
      }
      users.set(`${host}:${port}`, name)
    }
  }
}

function refuseHosts({ hosts, powers, full }: PlanOptions): void {
  if (hosts.length === 0) return
  const count = powers.length + full
  if (hosts.length !== count) {
    throw invalid(
      `--hosts names ${hosts.length} machines for ${count} nodes`,
      'pass one for each validator, then one for each full node',
    )
  }
}

function refuseTargets(nodes: readonly PlannedNode[], settings: readonly NodeSetting[]): void {
  const names = nodes.map(({ name }) => name)
  const known = [...names, 'validator', 'full']
  const unknown = settings.find(({ target }) => target !== undefined && !known.includes(target))
  if (unknown === undefined) return
  throw invalid(
    `--set: "${unknown.target}" is not a node of this network`,
    `use one of ${names.join(', ')}, or validator or full for all of a kind`,
  )
}

/**
 * Returns the nodes of a network. On one machine their ports are ten apart; on separate hosts all have the same
 * ports.
 * @throws INVALID_ARGUMENT
 */
export function planNetwork(options: PlanOptions): readonly PlannedNode[] {
  const { powers, full, hosts, basePort, evmPort, settings } = options
  refuseHosts(options)
  const kinds = [
    ...powers.map(
      (power, i) => ({ name: `validator-${i + 1}`, mode: 'validator', power }) as const,
    ),
    ...Array.from(
      { length: full },
      (_, i) => ({ name: `full-${i + 1}`, mode: 'full', power: 0 }) as const,
    ),
  ]
  const nodes = kinds.map((kind, index): PlannedNode => {
    const offset = hosts.length === 0 ? index * STRIDE : 0
    const own = settings.filter(
      ({ target }) => target === undefined || target === kind.mode || target === kind.name,
    )
    return {
      ...kind,
      host: hosts[index] ?? LOCAL,
      ports: portsOf(basePort + offset, evmPort + offset),
      settings: Object.fromEntries(own.map(({ flag, value }) => [flag, value])),
    }
  })
  refuseTargets(nodes, settings)
  refusePorts(nodes, options)
  return nodes
}

/** Returns a node's non-default settings; its peers are `<node id>@<host>:<port>` each. */
export function settingsOf(
  { host, ports, settings }: PlannedNode,
  peers: readonly string[],
): Readonly<Record<string, TomlLiteral>> {
  const isLocal = host === LOCAL
  return {
    'consensus.engine': 'cometbft',
    'p2p.laddr': `tcp://${isLocal ? LOCAL : '0.0.0.0'}:${ports.p2p}`,
    'p2p.external-address': isLocal ? '' : `${host}:${ports.p2p}`,
    'p2p.persistent-peers': peers,
    // Genesis nodes are accepted however many others are connected.
    'p2p.unconditional-peer-ids': peers.map((peer) => peer.slice(0, peer.indexOf('@'))),
    // Local peers share an IP address, and a strict address book rejects loopback.
    ...(isLocal && { 'p2p.allow-duplicate-ip': true, 'p2p.addr-book-strict': false }),
    // The nodes share the processors.
    ...(isLocal && { 'evm.serving-threads': 0 }),
    'rpc.laddr': `tcp://${LOCAL}:${ports.consensus}`,
    'instrumentation.prometheus-listen-addr': `${LOCAL}:${ports.metrics}`,
    'evm.http-port': ports.evm,
    'evm.ws-port': ports.evmSocket,
    ...settings,
  }
}
