import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import {
  type ClientRow,
  OUR_CLIENTS,
  PUBLISHED_CLIENTS,
  payerAccount,
  titleOf,
} from '../support/payments/paying-clients.ts'
import { absentPeers } from '../support/payments/peers.ts'
import { PYTHON_CLIENTS } from '../support/payments/python-clients.ts'

const GATE = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
const CLIENTS = [...PUBLISHED_CLIENTS, ...OUR_CLIENTS]

/** The contract's response body has the payment, x402 has it in headers. */
const BODIES: Readonly<Record<string, object>> = {
  '/weather': { city: 'Lisbon', payment: { isValid: true } },
  '/x402/weather': { city: 'Lisbon' },
}

/** Returns true if a client supports a chain: x402 v1 only has names for some networks. */
function knows({ protocol }: ClientRow, chainId: number): boolean {
  return protocol !== 'v1' || chainId !== 31_337
}

/**
 * Returns the paths that a client can buy. Clients of v1 need an absolute URL, which the contract's body does not
 * have.
 */
function pathsFor({ protocol, name }: ClientRow): readonly string[] {
  // Each of these is a process, and both paths have the same v2 header.
  if (name.startsWith('Python')) return ['/x402/weather']
  return protocol === 'v1' && !name.startsWith('@')
    ? ['/x402/weather']
    : ['/weather', '/x402/weather']
}

describe.each([31_337, 1329, 1328])('a dev node of chain %d', (chainId) => {
  const home = makeHome()
  let daemon: Daemon

  beforeAll(async () => {
    const fast = ['--chain-id', `${chainId}`, '--consensus.block-time', '50ms']
    daemon = await startDaemon({ home, arguments: [...GATE, ...fast] })
  })
  afterAll(async () => {
    expect(await daemon.stop()).toBe(0)
    removeHome(home)
  })

  const clients = chainId === 1329 ? [...CLIENTS, ...PYTHON_CLIENTS] : CLIENTS
  for (const [index, row] of clients.entries()) {
    const unknown = knows(row, chainId) ? '' : ' (v1 has no name for this network)'
    const isSkipped = unknown !== '' || row.isAbsent === true || absentPeers(...row.packages) !== ''
    test.skipIf(isSkipped)(`is paid by ${titleOf(row)}${unknown}`, async () => {
      const asset = daemon.ready.paymentToken as Hex
      const chain = { rpc: daemon.ready.rpc, chainId, asset }
      for (const path of pathsFor(row)) {
        const url = `${daemon.ready.payments}${path}`
        const { status, body, receipt } = await row.get(url, chain, payerAccount(index % 8))
        expect([status, body], path).toMatchObject([200, BODIES[path]])
        expect(receipt, path).toMatch(/^eyJ/)
      }
    })
  }
})
