import type { Hex } from '../../../host/base/hex.ts'
import { post, type RpcAnswer } from '../../support/node/json-rpc.ts'
import { until } from '../../support/until.ts'
import { HELPER_FAMILIES } from './helper-families.ts'
import {
  beginScenario,
  type HelperScenario,
  HelperScene,
  type Reference,
} from './helper-scenario.ts'

/** Returns scenarios of each family in turn, deterministic for a seed. */
export function makeScenarios(count: number, seed: number, runtimeCode: Hex): HelperScenario[] {
  const families = Object.entries(HELPER_FAMILIES)
  return Array.from({ length: count }, (_, i) => {
    const [family, tell] = families[i % families.length] as (typeof families)[number]
    const scene = new HelperScene(seed + i)
    beginScenario(scene, runtimeCode)
    tell(scene)
    return { family, seed: seed + i, steps: scene.steps, clock: scene.clock }
  })
}

function isReference(value: object): value is Reference {
  return 'ofStep' in value
}

/** Returns parameters with each reference replaced by what this node answered. */
function resolve(value: unknown, answers: readonly RpcAnswer[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => resolve(item, answers))
  if (isReference(value)) {
    const result = answers[value.ofStep]?.result ?? null
    return value.member === undefined
      ? result
      : ((result as Record<string, unknown> | null)?.[value.member] ?? null)
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolve(item, answers)]),
  )
}

/** Returns a node's responses to the steps of a scenario, in order. */
export async function runScenario(
  url: string,
  { steps }: HelperScenario,
  settle: (method: string, answer: RpcAnswer) => Promise<void> = async () => {},
): Promise<RpcAnswer[]> {
  const answers: RpcAnswer[] = []
  for (const { method, params } of steps) {
    const answer = await post(url, method, resolve(params, answers) as unknown[])
    await settle(method, answer)
    answers.push(answer)
  }
  return answers
}

/**
 * Waits until an automining node has mined this transaction. anvil responds earlier, and returns the receipt before
 * the transaction leaves its pool and the block becomes the latest.
 */
export async function settleAutomined(
  url: string,
  method: string,
  { result }: RpcAnswer,
): Promise<void> {
  if (method !== 'eth_sendTransaction' && method !== 'eth_sendRawTransaction') return
  if (result === undefined) return
  const ask = async (asked: string, params: unknown[]) =>
    (await post(url, asked, params)).result as Record<string, Hex | null> | null
  const isMined = async () => {
    const receipt = await ask('eth_getTransactionReceipt', [result])
    const transaction = await ask('eth_getTransactionByHash', [result])
    const latest = await ask('eth_getBlockByNumber', ['latest', false])
    if (typeof receipt?.blockNumber !== 'string' || typeof latest?.number !== 'string') return false
    return (
      typeof transaction?.blockHash === 'string' &&
      BigInt(latest.number) >= BigInt(receipt.blockNumber)
    )
  }
  const isMining = async () => (await post(url, 'anvil_getAutomine', [])).result === true
  if (await isMining()) await until(isMined)
}
