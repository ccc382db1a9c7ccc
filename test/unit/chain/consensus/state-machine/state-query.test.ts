import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { StateQuery } from '../../../../../host/chain/consensus/state-machine/state-query.ts'
import type {
  StateProof,
  StateProver,
} from '../../../../../host/storage/commit/proof/state-proof.ts'

const KEY = Uint8Array.of(1)
const PROOF: StateProof = {
  height: 5,
  tree: { kind: 'nonexist', key: KEY, left: undefined, right: undefined },
  store: {
    kind: 'exist',
    key: new TextEncoder().encode('bank'),
    value: new Uint8Array(32),
    leafPrefix: Uint8Array.of(0),
    path: [],
  },
}

/** Answers when the test tells it to. */
class HeldProver implements StateProver {
  readonly asked: ((answer: StateProof | Error) => void)[] = []

  prove(): Promise<StateProof> {
    return new Promise((resolve, reject) => {
      this.asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)))
    })
  }
}

function ask(queries: StateQuery) {
  return queries.query({ path: '/store/bank/key', data: KEY, height: 5, prove: true })
}

describe('queries of the state commit', () => {
  test('run one at a time, also after one that failed', async () => {
    const prover = new HeldProver()
    const queries = new StateQuery(prover, () => 5)
    const answers = [ask(queries), ask(queries), ask(queries)]
    answers[1]?.catch(() => undefined)
    for (const [i, answer] of [PROOF, new Error('disk'), PROOF].entries()) {
      await setImmediate()
      expect(prover.asked).toHaveLength(i + 1)
      prover.asked[i]?.(answer)
    }
    expect(await answers[0]).toMatchObject({ code: 0, height: 5 })
    await expect(answers[1]).rejects.toThrow('disk')
    expect(await answers[2]).toMatchObject({ code: 0, height: 5 })
  })

  test('are refused while 900 are pending, and accepted again after that', async () => {
    const prover = new HeldProver()
    const queries = new StateQuery(prover, () => 5)
    const waiting = Array.from({ length: 900 }, () => ask(queries))
    await expect(ask(queries)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    for (let i = 0; i < 900; i++) {
      await setImmediate()
      prover.asked[i]?.(PROOF)
    }
    await Promise.all(waiting)
    const last = ask(queries)
    await setImmediate()
    prover.asked[900]?.(PROOF)
    expect(await last).toMatchObject({ code: 0 })
  })

  test('fail with the error of the state commit if the query itself is valid', async () => {
    const broken = new LockstepError('STORE_CORRUPTED', 'node 3 of bank is missing')
    const queries = new StateQuery({ prove: () => Promise.reject(broken) }, () => 5)
    await expect(ask(queries)).rejects.toBe(broken)
  })

  test('require a key', async () => {
    const queries = new StateQuery(new HeldProver(), () => 5)
    const request = { path: '/store/bank/key', data: new Uint8Array(0), height: 0, prove: true }
    expect(await queries.query(request)).toMatchObject({
      code: 18,
      log: 'data is empty, want the key',
    })
  })
})
