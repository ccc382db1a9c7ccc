import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import hardhatEthersChaiMatchers from '@nomicfoundation/hardhat-ethers-chai-matchers'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatNodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import { defineConfig } from 'hardhat/config'
import { fileURLToPath } from 'node:url'

// Uses npm's compiler; otherwise Hardhat downloads one.
export default defineConfig({
  plugins: [hardhatEthers, hardhatEthersChaiMatchers, hardhatNetworkHelpers, hardhatNodeTestRunner],
  solidity: {
    version: '0.8.37',
    path: fileURLToPath(new URL('node_modules/solc/soljson.js', import.meta.url)),
    settings: { evmVersion: 'prague' },
  },
  paths: process.env.BUILD_FOLDER && {
    artifacts: `${process.env.BUILD_FOLDER}/artifacts`,
    cache: `${process.env.BUILD_FOLDER}/cache`,
  },
  // Hard forks of a forked development chain: Hardhat knows only those of public networks.
  chainDescriptors: {
    31337: { name: 'development', hardforkHistory: { prague: { blockNumber: 0 } } },
  },
  networks: {
    lockstep: { type: 'http', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
})
