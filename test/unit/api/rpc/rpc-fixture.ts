import { afterEach, beforeEach, expect } from 'vitest'
import type { Log } from '../../../../host/evm/chain-types/log.ts'
import { FakeNode, RECIPIENT, repeat } from '../../../support/chain/fake-chain.ts'

export const GWEI = 1_000_000_000n
export const TOPIC: Uint8Array = repeat(0x11, 32)

export const log = (topics: Uint8Array[] = [TOPIC], address: Uint8Array = RECIPIENT): Log => ({
  address,
  topics,
  data: Uint8Array.of(1, 2),
})

/** Returns the answer that refuses invalid arguments. */
export const invalidParamsAnswer = (message: string) => ({ error: { code: -32602, message } })

/** Returns the answer to a call that failed. */
export const failedCallAnswer = (message: string) => ({ error: { code: -32000, message } })

/** Gives each test of a file its own node, and expects that it reported no defect. */
export class RpcFixture {
  node: FakeNode = new FakeNode()

  /** Replaces the node by one with other limits or parts. */
  replaceNode(...args: ConstructorParameters<typeof FakeNode>): void {
    this.node.close()
    this.node = new FakeNode(...args)
  }

  constructor() {
    beforeEach(() => this.replaceNode())
    afterEach(() => {
      this.node.close()
      expect(this.node.defects).toEqual([])
    })
  }
}
