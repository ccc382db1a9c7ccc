import { BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  putBytes,
  putInteger,
  putMessage,
  writeBytes,
  writeInteger,
  writeProtoMessage,
} from '../../../../../host/chain/consensus/comet/proto.ts'
import { ByteWriter } from '../../../../../host/storage/store/codec/byte-writer.ts'

test('a ByteWriter writes the same bytes for a field as a BinaryWriter', () => {
  const integer = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 1n, 127n, 128n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, -1n),
    fc.integer(),
  )
  const field = fc.integer({ min: 1, max: 40 })
  const bytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(field, integer, bytes, (number, value, contents) => {
      const expected = new BinaryWriter()
      putInteger(expected, number, value)
      putBytes(expected, number, contents)
      putMessage(expected, number, contents)
      const writer = new ByteWriter(1)
      writeInteger(writer, number, value)
      writeBytes(writer, number, contents)
      writeProtoMessage(writer, number, contents)
      expect(writer.finish()).toEqual(expected.finish())
    }),
  )
})
