import { z } from 'zod'
import { type ActionProvider, defineAction } from '../action.ts'
import { ActionError } from '../action-error.ts'
import { formatUnits } from '../amount.ts'
import { addressOutput, hashInput, hashOutput, integerOutput } from '../argument.ts'
import {
  describeFrame,
  frameFailure,
  innermostFailure,
  readFrame,
  type TraceFrame,
} from '../call-frame.ts'
import type { Chain } from '../chain.ts'
import { checksummed } from '../checksum.ts'

/** Calls described in words, from the first one: a trace may have thousands. */
const MAX_CALLS = 60

async function requireKnown(chain: Chain, hash: string): Promise<void> {
  if ((await chain.ask('eth_getTransactionByHash', hash)) !== null) return
  throw new ActionError('NOT_FOUND', `the node knows no transaction ${hash}`, {
    next: 'check the hash and the network; a dropped transaction may be sent again',
  })
}

const status = defineAction({
  name: 'transaction_status',
  title: 'Status of a transaction',
  description: 'Returns whether a transaction is pending, confirmed or reverted.',
  input: z.strictObject({ hash: hashInput }),
  output: z.strictObject({
    hash: hashOutput,
    status: z.enum(['pending', 'confirmed', 'reverted']),
    blockNumber: integerOutput.nullable(),
    gasUsed: integerOutput.nullable(),
  }),
  readOnly: true,
  destructive: false,
  async invoke({ hash }, { chain }) {
    const receipt = await chain.receipt(hash)
    if (receipt === undefined) {
      await requireKnown(chain, hash)
      const facts = { hash, status: 'pending', blockNumber: null, gasUsed: null } as const
      return { text: `${hash} is not in a block yet.`, data: facts }
    }
    const { succeeded, blockNumber, gasUsed } = receipt
    const status = succeeded ? 'confirmed' : 'reverted'
    return {
      text: `${hash} is ${status} in block ${blockNumber}.`,
      data: { hash, status, blockNumber: `${blockNumber}`, gasUsed: `${gasUsed}` } as const,
    }
  },
})

interface Step {
  readonly depth: number
  readonly text: string
}

function stepsOf(root: TraceFrame, native: (wei: bigint) => string): readonly Step[] {
  const steps: Step[] = []
  const visit = (frame: TraceFrame, depth: number): void => {
    if (steps.length >= MAX_CALLS) return
    steps.push({ depth, text: describeFrame(frame, native) })
    for (const call of frame.calls ?? []) visit(call, depth + 1)
  }
  visit(root, 0)
  return steps
}

function count(frame: TraceFrame): number {
  return (frame.calls ?? []).reduce((sum, call) => sum + count(call), 1)
}

const explain = defineAction({
  name: 'transaction_explain',
  title: 'Explain a transaction',
  description:
    'Traces a mined transaction and describes which contract called which, with what, and where and why it failed.',
  input: z.strictObject({ hash: hashInput }),
  output: z.strictObject({
    hash: hashOutput,
    succeeded: z.boolean(),
    failure: z
      .strictObject({
        contract: addressOutput.nullable().describe('origin of the failure'),
        reason: z.string(),
        depth: z.int().describe('depth of its call; 0 is the transaction itself'),
      })
      .nullable(),
    calls: z.int(),
    steps: z.array(z.strictObject({ depth: z.int(), text: z.string() })),
    gasUsed: integerOutput,
  }),
  readOnly: true,
  destructive: false,
  async invoke({ hash }, { chain, network }) {
    if ((await chain.receipt(hash)) === undefined) {
      await requireKnown(chain, hash)
      throw new ActionError('NOT_FOUND', `${hash} is not in a block yet`, {
        next: 'ask transaction_status until it is in a block',
      })
    }
    const answer = await chain.ask('debug_traceTransaction', hash, { tracer: 'callTracer' })
    const root = readFrame(answer)
    const native = (wei: bigint) => `${formatUnits(wei, network.decimals)} ${network.nativeSymbol}`
    const steps = stepsOf(root, native)
    const calls = count(root)
    const path = innermostFailure(root)
    const origin = path.at(-1)
    const gasUsed = `${BigInt(root.gasUsed)}`
    const listed = steps.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`).join('\n')
    const more = calls > steps.length ? `\n(${calls - steps.length} further calls)` : ''
    if (origin === undefined) {
      return {
        text: `It succeeded with ${gasUsed} gas, in ${calls} calls:\n${listed}${more}`,
        data: { hash, succeeded: true, failure: null, calls, steps: [...steps], gasUsed },
      }
    }
    const contract = origin.to === undefined ? null : checksummed(origin.to)
    const failure = { contract, reason: frameFailure(origin), depth: path.length - 1 }
    const place = failure.depth === 0 ? 'itself' : `at depth ${failure.depth}`
    return {
      text: `It failed: ${contract ?? 'a creation'} ${place} ${failure.reason}. ${gasUsed} gas, ${calls} calls:\n${listed}${more}`,
      data: { hash, succeeded: false, failure, calls, steps: [...steps], gasUsed },
    }
  },
})

/** Any transaction, by its hash. */
export const transactionProvider: ActionProvider = {
  name: 'transaction',
  needs: [],
  actions: [status, explain],
}
