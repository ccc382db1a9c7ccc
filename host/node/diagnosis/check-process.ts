import { FAILURES } from '../../base/failure-table.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { readValidatorPublicKey } from '../../chain/consensus/validator/key-file.ts'
import { followedServers } from '../run/follow-chain.ts'
import { decidesAlone, peersNamed } from '../run/peers-needed.ts'
import { listenProblem, ownAddresses, takenHint } from '../serve/own-addresses.ts'
import { type Finding, fault, warning } from './finding.ts'
import type { HomeFacts } from './home-facts.ts'

/** Response timeout of a node on this machine, ms. */
const ANSWER_MS = 5_000

/** Status of a running node. */
export interface ConsensusStatus {
  readonly height: number
  readonly appHash: string
  readonly catchingUp: boolean
  /** Blocks behind the best peer; null if no peer reports its height. */
  readonly lag: number | null
  readonly peers: number
}

/** Queries a node's consensus RPC. @throws the errors of fetch */
export async function askConsensus(base: string): Promise<ConsensusStatus> {
  const ask = async (path: string) => {
    const response = await fetch(`${base}${path}`, { signal: timeoutSignal(ANSWER_MS) })
    return (await response.json()) as {
      result?: Record<string, unknown>
      error?: { data?: string }
    }
  }
  const { result } = await ask('/status')
  const sync = result?.sync_info as Record<string, unknown>
  const lag = await ask('/lag_status')
  const facts = (lag.result ?? JSON.parse(lag.error?.data ?? '{}')) as { readonly lag?: number }
  const net = await ask('/net_info')
  return {
    height: Number(sync.latest_block_height),
    appHash: String(sync.latest_app_hash),
    catchingUp: sync.catching_up === true,
    lag: facts.lag ?? null,
    peers: Number(net.result?.n_peers),
  }
}

/** Checks the addresses that the node would listen on. */
async function checkPorts({ inspected, isImported }: HomeFacts): Promise<Finding[]> {
  const findings: Finding[] = []
  const taken = new Map<number, string>()
  for (const { flag: key, address } of ownAddresses(inspected.config, !isImported)) {
    const { host, port } = address
    const other = taken.get(port)
    if (other !== undefined) {
      findings.push(
        fault(
          'configuration',
          `${key} and ${other} are both port ${port}`,
          `change one of the two`,
        ),
      )
      continue
    }
    taken.set(port, key)
    if ((await listenProblem(address))?.code !== 'PORT_IN_USE') continue
    findings.push(
      fault(
        'process',
        `another process listens on ${host}:${port} (${key})`,
        takenHint(key, address),
      ),
    )
  }
  return findings
}

/** Reports a running node without peers, if it needs any. */
async function checkPeers(
  { home, inspected, genesis, isUnderComet }: HomeFacts,
  { peers, height }: ConsensusStatus,
): Promise<readonly Finding[]> {
  const { config } = inspected
  if (genesis === undefined || peers > 0) return []
  const key =
    config.mode === 'validator' ? await readValidatorPublicKey(home.config.validatorKey) : undefined
  const isWhole = decidesAlone(genesis, key)
  const names = isUnderComet ? peersNamed(config.p2p) : followedServers(config).length > 0
  // A chain with one validator under the embedded engine has no network.
  if (!names && (isWhole || !isUnderComet)) return []
  const { text, remedy } = FAILURES.NO_PEERS
  const state = isUnderComet ? 'n_peers of /net_info is 0' : 'none of its servers responds'
  return [(isWhole ? warning : fault)('peers', `${text} at height ${height}: ${state}`, remedy)]
}

/** Checks the running node, or what would prevent a start. */
export async function checkProcess(
  facts: HomeFacts,
  consensus: string | null | undefined,
): Promise<{
  readonly findings: readonly Finding[]
  readonly answer: ConsensusStatus | undefined
}> {
  const { process: pid, inspected } = facts
  if (pid === undefined) return { findings: await checkPorts(facts), answer: undefined }
  // The node is starting, or serves an imported chain, which has no consensus.
  if (consensus === undefined || consensus === null) return { findings: [], answer: undefined }
  try {
    const answer = await askConsensus(consensus)
    const { lagThreshold } = inspected.config.rpc
    if (answer.lag === null) return { findings: await checkPeers(facts, answer), answer }
    if (answer.lag <= lagThreshold) return { findings: [], answer }
    const lagging = warning(
      'consensus',
      `the node is at height ${answer.height}, ${answer.lag} blocks behind the best peer`,
      'wait while it catches up; if it does not, `lockstep status` says whether heights still rise',
    )
    return { findings: [lagging], answer }
  } catch {
    const what = `process ${pid} has the home, but ${consensus} did not respond within ${ANSWER_MS / 1000} s`
    const remedy = `\`kill ${pid}\`; then: ${FAILURES.DATABASE_LOCKED.remedy}`
    return { findings: [fault('process', what, remedy)], answer: undefined }
  }
}
