import type { NetworkState, NodeState } from './network-view.ts'

/** Shown for an unknown figure. */
const UNKNOWN = '-'

/** Columns from the left; figures are right-aligned. */
const COLUMNS = [
  { title: 'NODE', isFigure: false },
  { title: 'HEIGHT', isFigure: true },
  { title: 'LAG', isFigure: true },
  { title: 'PEERS', isFigure: true },
  { title: 'AGE', isFigure: true },
  { title: 'MEMPOOL', isFigure: true },
  { title: 'EVM JSON-RPC', isFigure: false },
  { title: 'STATE', isFigure: false },
] as const

function seconds(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} s`
}

/** Returns how many blocks a node is behind the highest of the network. */
function lagOf({ sample }: NodeState, height: number): number | undefined {
  return sample === undefined ? undefined : height - sample.height
}

/** Returns the seconds since a node's latest block, by the clock of this machine. */
function ageOf({ sample }: NodeState): number | undefined {
  if (sample === undefined || sample.height === 0) return undefined
  return Math.max(0, (sample.at - sample.blockTime) / 1000)
}

function stateText(state: NodeState, { diverged }: NetworkState): string {
  if (state.trouble !== undefined) return state.trouble
  if (diverged.includes(state.node.name)) return 'DIVERGED: app hash differs from the others'
  return state.sample?.isCatchingUp === true ? 'catching up' : 'in step'
}

function cellsOf(state: NodeState, network: NetworkState): readonly string[] {
  const { sample, facts } = state
  const age = ageOf(state)
  return [
    state.node.name,
    `${sample?.height ?? UNKNOWN}`,
    `${lagOf(state, network.height) ?? UNKNOWN}`,
    `${sample?.peers ?? UNKNOWN}`,
    age === undefined ? UNKNOWN : seconds(age),
    `${sample?.mempool ?? UNKNOWN}`,
    facts?.rpc ?? UNKNOWN,
    stateText(state, network),
  ]
}

/** Aligns rows into columns. */
function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = COLUMNS.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    COLUMNS.map(({ isFigure }, column) => {
      const width = widths[column] ?? 0
      const cell = row[column] ?? ''
      return isFigure ? cell.padStart(width) : cell.padEnd(width)
    })
      .join('  ')
      .trimEnd(),
  )
}

/** Returns commands that restart the ended nodes. */
function remedies({ nodes }: NetworkState): readonly string[] {
  return nodes
    .filter(({ facts }) => facts === undefined)
    .map(({ node: { name, home } }) => {
      return `${name} is down; \`lockstep start --home '${home.root}'\` restarts it`
    })
}

/** Returns the table of a network, one line per node. */
export function renderTable(network: NetworkState): readonly string[] {
  const titles = COLUMNS.map(({ title }) => title)
  const rows = network.nodes.map((state) => cellsOf(state, network))
  const { height, blockSeconds } = network
  const pace = blockSeconds === undefined ? '' : `, a block every ${blockSeconds.toFixed(2)} s`
  return [
    `Height ${height}${pace}`,
    '',
    ...align([titles, ...rows]),
    '',
    ...remedies(network),
    'q or Ctrl-C stops all nodes',
  ]
}

const round = (value: number | undefined) =>
  value === undefined ? undefined : Math.round(value * 1000) / 1000

/** Returns the table as data; unknown values are left out. */
export function renderNetworkRecord(
  network: NetworkState,
  at: Date,
): Readonly<Record<string, unknown>> {
  return {
    time: at.toISOString(),
    height: network.height,
    block_seconds: round(network.blockSeconds),
    nodes: network.nodes.map((state) => ({
      name: state.node.name,
      mode: state.node.mode,
      height: state.sample?.height,
      lag: lagOf(state, network.height),
      peers: state.sample?.peers,
      block_age_seconds: round(ageOf(state)),
      mempool_transactions: state.sample?.mempool,
      app_hash: state.sample?.appHash,
      state: stateText(state, network),
    })),
  }
}

/** Returns the table as a log line: `validator-1=120/5` is a height and a number of peers. */
export function renderNetworkLine(network: NetworkState, at: Date): string {
  const { height, blockSeconds, nodes, diverged } = network
  const pace = blockSeconds === undefined ? [] : [`block_seconds=${blockSeconds.toFixed(2)}`]
  const shown = nodes.map(({ node: { name }, sample }) => {
    if (sample === undefined) return `${name}=down`
    const mark = diverged.includes(name) ? '/DIVERGED' : ''
    return `${name}=${sample.height}/${sample.peers}${mark}`
  })
  return [`time=${at.toISOString()}`, `height=${height}`, ...pace, ...shown].join(' ')
}
