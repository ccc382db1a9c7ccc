import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import type { Dice } from './dice.ts'

/** Returns random bytes in the format of a precompile, so that some inputs pass its first check. */
export function precompileInput(dice: Dice, address: number): Uint8Array {
  const word = (value: number) => bigintToBytes(BigInt(value), 32)
  switch (address) {
    case 0x01:
      return concatBytes([dice.bytes(32), word(27 + dice.below(2)), dice.bytes(64)])
    case 0x05: {
      const sizes = [dice.below(40), dice.below(36), dice.below(40)]
      return concatBytes([...sizes.map(word), dice.bytes(sizes.reduce((a, b) => a + b))])
    }
    case 0x06:
      return concatBytes([word(1), word(2), word(dice.below(3)), word(dice.below(3))])
    case 0x07:
      return concatBytes([word(1), word(2), dice.bytes(32)])
    case 0x08:
      return dice.chance(0.5) ? new Uint8Array(192 * dice.below(2)) : dice.bytes(192)
    case 0x09:
      return concatBytes([
        bigintToBytes(BigInt(dice.below(30)), 4),
        dice.bytes(208),
        new Uint8Array([dice.below(3)]),
      ])
    case 0x0b:
    case 0x0d:
      return new Uint8Array(address === 0x0b ? 256 : 512)
    case 0x10:
    case 0x11: {
      const input = new Uint8Array(address === 0x10 ? 64 : 128)
      input.set(dice.bytes(40), 24)
      return input
    }
    default:
      return dice.bytes(dice.pick([0, 1, 32, 55, 64, 120, 128, 160]))
  }
}
