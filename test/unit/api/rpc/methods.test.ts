import { expect, test } from 'vitest'
import { METHODS } from '../../../../host/api/rpc/methods.ts'

test('method names are unique, sorted within their namespace, and have one', () => {
  const names = METHODS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names)
    expect(name).toMatch(
      /^(anvil|debug|erigon|eth|evm|hardhat|net|ots|personal|rpc|tenderly|trace|txpool|web3)_[a-zA-Z0-9_]+$/,
    )
  const everywhere = METHODS.filter(({ dev }) => !dev).map(({ name }) => name)
  const eth = everywhere.filter((name) => name.startsWith('eth_'))
  expect(eth).toEqual([...eth].sort())
})

test('no method has a required argument after an optional one', () => {
  for (const { name, params } of METHODS) {
    const order = params.map(({ required }) => required)
    expect(order, name).toEqual([...order].sort((a, b) => Number(b) - Number(a)))
  }
})
