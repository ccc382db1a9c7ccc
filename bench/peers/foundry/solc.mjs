#!/usr/bin/env node
// npm's solc with the command line that forge expects of the native one: --version, and --standard-json from stdin.
import { createRequire } from 'node:module'

const require = createRequire(new URL('../hardhat/', import.meta.url))
const solc = require('solc')

if (process.argv.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`)
} else {
  const chunks = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  process.stdout.write(solc.compile(Buffer.concat(chunks).toString()))
}
