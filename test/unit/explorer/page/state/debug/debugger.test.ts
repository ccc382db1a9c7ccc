import { signal } from '@preact/signals'
import { afterEach, describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../../../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../../../../host/base/hex.ts'
import type { BlockFacts } from '../../../../../../host/explorer/browser/facts.ts'
import type { OpenBundle } from '../../../../../../host/explorer/browser/open-bundle.ts'
import { openRunStepper } from '../../../../../../host/explorer/browser/step/run-stepper.ts'
import type { Stepper, StepRow } from '../../../../../../host/explorer/browser/step/stepper.ts'
import { InternalCallList } from '../../../../../../host/explorer/page/sources/internal-call-list.ts'
import { UploadedArtifacts } from '../../../../../../host/explorer/page/sources/uploaded-artifacts.ts'
import { Debugger } from '../../../../../../host/explorer/page/state/debug/debugger.ts'
import type { SourceIndex } from '../../../../../../host/explorer/page/state/debug/source-index.ts'
import { OpenedRun } from '../../../../../../host/explorer/page/state/opened-run.ts'
import { ViewLocation } from '../../../../../../host/explorer/page/view/view-location.ts'
import { assemble } from '../../../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  stateWith,
} from '../../../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../../../support/trace/recorded-bundle.ts'
import { until } from '../../../../../support/until.ts'
import { fakeWindow } from './fake-window.ts'

const CALLEE = address(0x3333)
const slot = (number: number): Hex => formatData(bigintToBytes(BigInt(number), 32))

/**
 * CONTRACT writes slot 1, calls CALLEE, which writes slot 5 and fails, and writes slot 1 again.
 * Steps: 0 to 2 SSTORE, 3 to 10 CALL, 11 to 13 SSTORE, 14 to 16 REVERT, 17 POP, 18 to 20 SSTORE, 21 STOP.
 */
async function openStepper(): Promise<Stepper> {
  const state = stateWith(
    assemble(
      ...[7, 1, 'SSTORE'],
      ...[0, 0, 0, 0, 0, 0x3333, 50_000, 'CALL', 'POP'],
      ...[8, 1, 'SSTORE', 'STOP'],
    ),
  )
  state.setAccount(CALLEE, 1n, 0n, assemble(9, 5, 'SSTORE', 0, 0, 'REVERT'))
  const bundle = await recordedBundle(await engineInBlock(), state, [call()])
  return openRunStepper({ bundle, engine: await engineInBlock() })
}

const open: OpenedRun[] = []
afterEach(() => {
  for (const run of open.splice(0)) run.close()
})

async function opened(stepper?: Stepper, sources?: SourceIndex) {
  const location = new ViewLocation(fakeWindow(), '/explorer')
  const block: BlockFacts = {
    hash: slot(1),
    number: 1_000,
    timestamp: 1n,
    revision: 'Prague',
    chainId: 1n,
    gasLimit: 30_000_000n,
    baseFee: 0n,
    coinbase: formatData(CALLEE),
    prevRandao: slot(2),
    blobBaseFee: 1n,
  }
  const transactions = [{ from: formatData(CALLEE) }]
  const bundle = { block, transactions, close: () => undefined } as unknown as OpenBundle
  const source = { bundle, index: 0, stepper: stepper ?? (await openStepper()) }
  const run = new OpenedRun(location, source, new UploadedArtifacts())
  open.push(run)
  await until(() => run.summary.value !== undefined)
  return { run, location, debug: new Debugger(run, signal(sources)) }
}

/** Goes to a step, acts, and returns the resulting step. */
async function from(debug: Debugger, step: number, act: (debug: Debugger) => unknown) {
  debug.goTo(step)
  await act(debug)
  return debug.run.stepIndex.value
}

describe('the debugger', () => {
  it('steps over, into and out of calls, forwards and backwards', async () => {
    const { debug } = await opened()
    expect(await from(debug, 10, () => debug.move('over', 'forward'))).toBe(17)
    expect(await from(debug, 10, () => debug.move('into', 'forward'))).toBe(11)
    expect(await from(debug, 12, () => debug.move('out', 'forward'))).toBe(17)
    expect(await from(debug, 17, () => debug.move('over', 'back'))).toBe(10)
    expect(await from(debug, 17, () => debug.move('into', 'back'))).toBe(16)
    expect(await from(debug, 12, () => debug.move('out', 'back'))).toBe(10)
  })

  it('stays at the first or last step and says so', async () => {
    const { debug } = await opened()
    expect(await from(debug, 21, () => debug.move('over', 'forward'))).toBe(21)
    expect(debug.answer.value).toBe('The transaction ends here.')
    expect(await from(debug, 0, () => debug.move('into', 'back'))).toBe(0)
    expect(debug.answer.value).toBe('The transaction begins here.')
  })

  it('runs to the next breakpoint and back to the previous one', async () => {
    const { debug, location } = await opened()
    debug.toggle({ kind: 'slot', slot: slot(1), address: formatData(CONTRACT) })
    debug.toggle({ kind: 'call', to: formatData(CALLEE) })
    const forward = () => debug.continue('forward')
    const back = () => debug.continue('back')
    expect(await from(debug, 0, forward)).toBe(2)
    expect(await from(debug, 2, forward)).toBe(10)
    expect(debug.answer.value).toBe(`Breakpoint: call to ${formatData(CALLEE)}`)
    expect(await from(debug, 10, forward)).toBe(20)
    expect(await from(debug, 20, forward)).toBe(21)
    expect(debug.answer.value).toBe('No breakpoint after this step: the last step.')
    expect(await from(debug, 21, back)).toBe(20)
    expect(await from(debug, 20, back)).toBe(10)
    expect(location.view.value.breakpoints).toBe(
      `slot:0x1@${formatData(CONTRACT)},call:${formatData(CALLEE)}`,
    )
  })

  it('stops at a breakpoint only if its condition holds', async () => {
    const { debug, location } = await opened()
    const rows = await debug.run.stepper.rows(0, 22)
    const { name } = rows[11] as StepRow
    const inCallee = rows.find((row) => row.depth === 2 && row.name === name)?.index
    const caller = formatData(CONTRACT)
    const set = (text: string) => location.set({ breakpoints: text })
    set(`op:${name}?${encodeURIComponent(`msg.sender == ${caller} && msg.value == 0`)}`)
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(inCallee)
    set(`op:SSTORE?${encodeURIComponent('block.number < 0')}`)
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(21)
    expect(await from(debug, 21, () => debug.continue('back'))).toBe(0)
    // Another breakpoint at the same step stops nevertheless.
    set(`op:SSTORE?false,slot:0x1@${caller}`)
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(2)
    expect(await from(debug, 21, () => debug.continue('back'))).toBe(20)
    expect(debug.answer.value).toBe(`Breakpoint: slot 0x1 written in ${caller}`)
    // A condition that cannot be evaluated stops and says why.
    set('op:SSTORE?nothing')
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(2)
    expect(debug.answer.value).toBe(
      'Breakpoint: SSTORE if nothing, but nothing is not known here: no source of this code is known',
    )
  })

  it('ignores disabled breakpoints', async () => {
    const { debug, location } = await opened()
    location.set({ breakpoints: '-op:SSTORE,op:REVERT' })
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(16)
  })

  it('stops once when gas falls below a limit, not at each later step', async () => {
    const { debug } = await opened()
    const [before, after] = await debug.run.stepper.rows(5, 2)
    debug.toggle({ kind: 'gas', below: before?.gas ?? 0 })
    expect(await from(debug, 0, () => debug.continue('forward'))).toBe(after?.index)
    expect(await from(debug, 6, () => debug.continue('forward'))).toBe(21)
  })

  it('jumps to the failure', async () => {
    const { debug } = await opened()
    expect(await from(debug, 0, () => debug.goToFailure())).toBe(16)
  })

  it('finds the step that wrote a slot, a word or a byte, and jumps to it', async () => {
    const { debug } = await opened()
    const written = { kind: 'slot', address: formatData(CONTRACT), slot: slot(1) } as const
    expect(await from(debug, 21, () => debug.goToWriter(written))).toBe(20)
    expect(debug.answer.value).toBe(`Step 20 wrote slot 0x1 of ${formatData(CONTRACT)}.`)
    expect(await from(debug, 20, () => debug.goToWriter(written))).toBe(2)
    expect(await from(debug, 2, () => debug.goToWriter(written))).toBe(2)
    expect(debug.answer.value).toBe(
      `No step wrote slot 0x1 of ${formatData(CONTRACT)}: its value is from before the transaction.`,
    )
    expect(await from(debug, 17, () => debug.goToWriter({ kind: 'stack', place: 0 }))).toBe(10)
  })

  it('shows the original run if a link names a changed one that does not exist', async () => {
    const { debug, location, run } = await opened()
    await until(() => run.step.value !== undefined)
    location.set({ side: 'edited' })
    debug.goTo(3)
    await until(() => run.step.value?.index === 3)
  })

  it('toggles a breakpoint at its current step', async () => {
    const { debug, location } = await opened()
    debug.goTo(12)
    await until(() => debug.run.step.value?.index === 12)
    debug.toggleHere()
    expect(location.view.value.breakpoints).toBe(`pc:2@${formatData(CALLEE)}`)
    debug.toggleHere()
    expect(location.view.value.breakpoints).toBe('')
  })

  it('ends a search that is cancelled or replaced by another', async () => {
    const stepper = await openStepper()
    const asked: string[] = []
    const aborted: string[] = []
    const slow: Stepper = {
      ...stepperOf(stepper),
      find: (_conditions, _at, direction, options) =>
        new Promise((_resolve, reject) => {
          asked.push(direction)
          options?.signal?.addEventListener('abort', () => {
            aborted.push(direction)
            reject(new Error('aborted'))
          })
        }),
    }
    const { debug, run } = await opened(slow)
    debug.toggle({ kind: 'opcode', name: 'STOP' })
    debug.goTo(3)
    const first = debug.continue('forward')
    await until(() => asked.length === 1)
    expect(debug.task.work.value?.doing).toBe('Running to the next breakpoint')
    const second = debug.continue('back')
    await first
    await until(() => asked.length === 2)
    expect(debug.task.work.value?.doing).toBe('Running back to the last breakpoint')
    debug.cancel()
    await second
    expect(debug.answer.value).toBe('Cancelled.')
    expect(run.stepIndex.value).toBe(3)
    expect(run.error.value).toBeUndefined()
    expect(aborted).toEqual(['forward', 'back'])
  })
})

describe('source lines in the debugger', () => {
  /**
   * Lines of CONTRACT's instructions: three on line 10, the call on line 11, three on line 10 again, STOP on line 12.
   */
  const lines = new Map<number, number>()
  const code = assemble(
    ...[7, 1, 'SSTORE', 0, 0, 0, 0, 0, 0x3333, 50_000, 'CALL', 'POP', 8, 1, 'SSTORE', 'STOP'],
  )
  for (let pc = 0, at = 0; pc < code.length; pc++, at++) {
    lines.set(pc, at < 3 ? 10 : at < 12 ? 11 : at < 15 ? 10 : 12)
    const opcode = code[pc] as number
    if (opcode >= 0x60 && opcode <= 0x7f) pc += opcode - 0x5f
  }
  const own = formatData(CONTRACT)
  const pcsOf = (test: (line: number) => boolean) =>
    [...lines].flatMap(([pc, line]) => (test(line) ? [pc] : []))
  const sources: SourceIndex = {
    files: [{ path: 'A.sol', text: '' }],
    positionAt: async ({ codeAddress, pc }) => {
      const line = lines.get(pc)
      return codeAddress !== own || line === undefined
        ? undefined
        : { path: 'A.sol', line, endLine: line, functionName: undefined }
    },
    placesOf: (path, line) =>
      path === 'A.sol' ? [{ codeAddress: own, pcs: pcsOf((each) => each === line) }] : [],
    lineOf: ({ call, pc }) => (call === 0 && lines.has(pc) ? `A.sol:${lines.get(pc)}` : undefined),
    hasSource: ({ index }) => index === 0,
    internalCalls: async () => new InternalCallList([]),
    positionIn: () => undefined,
    variablesAt: async () => ({ kind: 'unknown', why: '' }),
    scopeAt: async () => ({ name: () => undefined, why: 'a test' }),
    otherLines: ({ codeAddress }, from) =>
      codeAddress === own ? { codeAddress, pcs: pcsOf((each) => each !== from.line) } : undefined,
  }

  it('can be stepped over and into, forwards and backwards', async () => {
    const { debug } = await opened(undefined, sources)
    expect(await from(debug, 0, () => debug.stepLine('over', 'forward'))).toBe(3)
    expect(await from(debug, 3, () => debug.stepLine('over', 'forward'))).toBe(18)
    // The callee has no source: its steps are passed.
    expect(await from(debug, 3, () => debug.stepLine('into', 'forward'))).toBe(18)
    expect(await from(debug, 12, () => debug.stepLine('into', 'forward'))).toBe(17)
    expect(await from(debug, 18, () => debug.stepLine('over', 'forward'))).toBe(21)
    expect(await from(debug, 21, () => debug.stepLine('over', 'forward'))).toBe(21)
    expect(await from(debug, 18, () => debug.stepLine('over', 'back'))).toBe(3)
    expect(await from(debug, 19, () => debug.stepLine('over', 'back'))).toBe(18)
    expect(await from(debug, 1, () => debug.stepLine('out', 'back'))).toBe(0)
    expect(debug.answer.value).toBe('No other line before this: the first step.')
  })

  it('stop a run once each time they are reached', async () => {
    const { debug } = await opened(undefined, sources)
    debug.toggle({ kind: 'line', path: 'A.sol', line: 10 })
    expect(await from(debug, 1, () => debug.continue('forward'))).toBe(18)
    expect(await from(debug, 18, () => debug.continue('forward'))).toBe(21)
    expect(await from(debug, 5, () => debug.continue('forward'))).toBe(18)
    expect(await from(debug, 19, () => debug.continue('back'))).toBe(2)
    debug.toggle({ kind: 'line', path: 'A.sol', line: 11 })
    expect(await from(debug, 1, () => debug.continue('forward'))).toBe(3)
  })

  it('accept a breakpoint at the current line', async () => {
    const { debug, location } = await opened(undefined, sources)
    debug.goTo(4)
    await until(() => debug.run.step.value?.index === 4)
    await until(() => debug.position.value?.line === 11)
    debug.toggleHere()
    expect(location.view.value.breakpoints).toBe('line:A.sol:11')
  })
})

/** Returns an object with the bound methods of a stepper. */
function stepperOf(stepper: Stepper): Stepper {
  return {
    summary: () => stepper.summary(),
    calls: () => stepper.calls(),
    step: (index) => stepper.step(index),
    rows: (at, count) => stepper.rows(at, count),
    find: (...given) => stepper.find(...given),
    lastWriter: (...given) => stepper.lastWriter(...given),
    internalCalls: (...given) => stepper.internalCalls(...given),
    undoneWrites: () => stepper.undoneWrites(),
    gasByCode: () => stepper.gasByCode(),
    linePc: (...given) => stepper.linePc(...given),
    digests: (...given) => stepper.digests(...given),
    code: (hash) => stepper.code(hash),
    close: () => stepper.close(),
  }
}
