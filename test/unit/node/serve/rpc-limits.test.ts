import { expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { rpcLimits, scriptBytes, scriptThreads } from '../../../../host/node/serve/rpc-limits.ts'

const evmOf = (flags: Record<string, string>) =>
  loadConfig({
    directory: '/nonexistent',
    environment: {},
    flags: new Map(Object.entries(flags)),
  }).config

const structLogBytes = (flags: Record<string, string>) =>
  rpcLimits(evmOf(flags)).trace.structLogBytes

test('struct logs are unlimited on loopback and limited to a gibibyte elsewhere, unless configured', () => {
  expect(structLogBytes({})).toBe(Number.POSITIVE_INFINITY)
  expect(structLogBytes({ 'evm.http-address': '::1' })).toBe(Number.POSITIVE_INFINITY)
  expect(structLogBytes({ 'evm.http-address': 'localhost' })).toBe(Number.POSITIVE_INFINITY)
  expect(structLogBytes({ 'evm.http-address': '0.0.0.0' })).toBe(1024 ** 3)
  for (const address of ['127.0.0.1', '0.0.0.0']) {
    const flags = { 'evm.http-address': address, 'evm.max-trace-struct-log-bytes': '5' }
    expect(structLogBytes(flags)).toBe(5)
  }
})

test.each([
  ['268435456', '2', 2, 128 << 20],
  ['134217728', '2', 2, 64 << 20],
  ['134217728', '64', 4, 32 << 20],
  ['33554432', '8', 1, 32 << 20],
])(
  'with %s bytes for all scripts and %s workers, %i scripts run at a time with %i bytes each',
  (bytes, workers, threads, each) => {
    const { evm } = evmOf({ 'evm.max-trace-script-bytes': bytes, 'evm.trace-workers': workers })
    expect([scriptThreads(evm), scriptBytes(evm)]).toEqual([threads, each])
  },
)
