import { describe, expect, test } from 'vitest'
import { renderBanner } from '../../../../host/cli/start/banner.ts'
import { homeAt } from '../../../../host/node/home/home.ts'

const urls = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8545',
  explorer: 'http://127.0.0.1:8545/explorer',
  consensus: 'http://127.0.0.1:26657',
}
const home = homeAt('/srv/node')

describe('renderBanner', () => {
  test('shows addresses, chain and home', () => {
    const chainId = 1329n
    const lines = renderBanner({ urls, chainId, home, dev: false }).split('\n')
    expect(lines.slice(2)).toEqual([
      '  EVM JSON-RPC   http://127.0.0.1:8545',
      '  WebSocket      ws://127.0.0.1:8545',
      '  Explorer       http://127.0.0.1:8545/explorer',
      '  Consensus RPC  http://127.0.0.1:26657',
      '  Metrics        off',
      '  Payments       off',
      '  Wallets        off',
      '  Chain id       1329 (0x531)',
      '  Home           /srv/node',
      '',
      '',
    ])
  })

  test('shows the ten accounts of a dev chain', () => {
    const chainId = 31337n
    const text = renderBanner({ urls, chainId, home, dev: true })
    expect(text).toContain(
      '  (0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n',
    )
    expect(text).toContain('  (9) 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720  0x2a87')
    expect(text).toContain('Accounts with 10000 tokens each.')
  })

  test('shows the metrics address when there is one', () => {
    const chainId = 1328n
    const metrics = 'http://127.0.0.1:26660/metrics'
    const text = renderBanner({ urls: { ...urls, metrics }, chainId, home, dev: false })
    expect(text).toContain(`  Metrics        ${metrics}\n`)
  })
})
