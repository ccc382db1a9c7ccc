import { describe, expect, test } from 'vitest'
import { renderKeyReference } from '../../../host/config/key-reference.ts'

describe('host/config/KEYS.md', () => {
  test('is what the table gives (vitest -u writes it)', async () => {
    await expect(renderKeyReference()).toMatchFileSnapshot('../../../host/config/KEYS.md')
  })
})
