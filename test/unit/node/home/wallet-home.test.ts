import { expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { walletFolder } from '../../../../host/node/home/wallet-home.ts'

const home = homeAt('/home/of/a/node')
const { wallets } = loadConfig({
  directory: home.config.directory,
  environment: {},
  flags: new Map(),
}).config

test.each([
  ['wallets', '/home/of/a/node/wallets'],
  ['/var/lib/wallets', '/var/lib/wallets'],
  ['database', '/home/of/a/node/database'],
])('wallets.folder = %s resolves to %s', (folder, path) => {
  expect(walletFolder({ ...wallets, folder }, home)).toBe(path)
})

test.each(['data', 'data/wallets', 'x/../data/wallets', '/home/of/a/node/data/wallets/'])(
  'wallets.folder = %s is refused, since commands empty data/ and the keys exist nowhere else',
  (folder) => {
    expect(() => walletFolder({ ...wallets, folder }, home)).toThrow(
      `wallets.folder = "${folder}" lies in /home/of/a/node/data, which commands empty`,
    )
  },
)
