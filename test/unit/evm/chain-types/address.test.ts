import { expect, test } from 'vitest'
import { parseFixedData } from '../../../../host/base/hex.ts'
import { checksumAddress } from '../../../../host/evm/chain-types/address.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'

test.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
])('the address %s is written with the checksum of EIP-55', (address) => {
  const bytes = parseFixedData(address.toLowerCase(), 20)
  expect(checksumAddress(bytes, nobleRecovery.keccak256)).toBe(address)
})
