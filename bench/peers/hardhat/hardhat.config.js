import hardhatEthers from '@nomicfoundation/hardhat-ethers'
import hardhatEthersChaiMatchers from '@nomicfoundation/hardhat-ethers-chai-matchers'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatNodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import { defineConfig } from 'hardhat/config'
import { fileURLToPath } from 'node:url'

// The compiler is that of npm: Hardhat would download one.
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
  // A fork of a development chain is executed by these rules: Hardhat knows those of public networks alone.
  chainDescriptors: {
    31337: { name: 'development', hardforkHistory: { prague: { blockNumber: 0 } } },
  },
  networks: {
    lockstep: { type: 'http', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
})
