import type { AuthorizationProof } from '../../../../host/payments/protocol/proof.ts'

interface PublishedHeader {
  readonly client: string
  readonly name: 'x-payment' | 'payment-signature'
  readonly value: string
  readonly proof: AuthorizationProof
}

/**
 * Headers as published clients sent them, for 1,000 units of the default token of chain 1328 at
 * http://127.0.0.1:8402/weather?city=Bern. The payer is the first account of a development chain.
 */
export const PUBLISHED_HEADERS: readonly PublishedHeader[] = [
  {
    client: 'x402-fetch 1.2.0',
    name: 'x-payment',
    value:
      'eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoic2VpLXRlc3RuZXQiLCJwYXlsb2FkIjp7InNpZ25hdHVyZSI6IjB4NDY4OTc1OWQ2MjI2ZTI5NmJhOWFlNjZlM2MxMTk4M2FkYWM3M2MzYmIzMzRjMGY1YmY0MmQ5YzcyMGJlYzVlYjBiNWUxMDE4NTdhZDdlZjNlNmI1MzNlZTNlZTVkYzc1ZTQyNWQxMzUwYjc1NzUxNmUxYzgzZDM3ZjZkYmM2MmUxYiIsImF1dGhvcml6YXRpb24iOnsiZnJvbSI6IjB4ZjM5RmQ2ZTUxYWFkODhGNkY0Y2U2YUI4ODI3Mjc5Y2ZmRmI5MjI2NiIsInRvIjoiMHhhMGVlN2ExNDJkMjY3YzFmMzY3MTRlNGE4Zjc1NjEyZjIwYTc5NzIwIiwidmFsdWUiOiIxMDAwIiwidmFsaWRBZnRlciI6IjE3OTUzNzAwOTUiLCJ2YWxpZEJlZm9yZSI6IjE3OTUzNzA5OTUiLCJub25jZSI6IjB4ZTg4ZTVlZTgxYTEzZDI2MzQ0MWYzNjUwMzE4MGZkNGM2NzYwMzgyMTc0MTIyZmE2NTY2MDcwMzIwNzdjMDNjOCJ9fX0=',
    proof: {
      kind: 'authorization',
      version: 1,
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
      value: 1_000n,
      validAfter: 1795370095n,
      validBefore: 1795370995n,
      nonce: '0xe88e5ee81a13d263441f36503180fd4c6760382174122fa656607032077c03c8',
      signature:
        '0x4689759d6226e296ba9ae66e3c11983adac73c3bb334c0f5bf42d9c720bec5eb0b5e101857ad7ef3e6b533ee3ee5dc75e425d1350b757516e1c83d37f6dbc62e1b',
    },
  },
  {
    client: '@x402/fetch 2.27.0',
    name: 'payment-signature',
    value:
      'eyJ4NDAyVmVyc2lvbiI6MiwicGF5bG9hZCI6eyJhdXRob3JpemF0aW9uIjp7ImZyb20iOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJ0byI6IjB4YTBFZTdBMTQyZDI2N0MxZjM2NzE0RTRhOEY3NTYxMkYyMGE3OTcyMCIsInZhbHVlIjoiMTAwMCIsInZhbGlkQWZ0ZXIiOiIwIiwidmFsaWRCZWZvcmUiOiIxNzk1MzcwOTk1Iiwibm9uY2UiOiIweGMwOGY2MTUyNzVjODJjMmEwYzk0MjhjNDIxYTE1NDExNmI5YWQwNjlkYjczMGU5MzA3M2YzMDY1YzZiMmE3ZTEifSwic2lnbmF0dXJlIjoiMHg0NDAzMjJhZjc3ZGZkYmQzODIwYWYwOTdhODZkY2ZmN2M0NGQwN2E5MDVlNTNlODQxYzllNTQ0OTkwMGNiNTk1NWY2MDA5NTU3Zjc0YzA4NmYxOTVkMmM0Zjg4ODBkYTU3NTUzNzlhNGY1ZWVjNzkxMDYzYTIwZTY5NjlmYzhjMzFjIn0sInJlc291cmNlIjp7InVybCI6Imh0dHA6Ly8xMjcuMC4wLjE6ODQwMi93ZWF0aGVyP2NpdHk9QmVybiIsImRlc2NyaXB0aW9uIjoiVGhlIHdlYXRoZXIiLCJtaW1lVHlwZSI6ImFwcGxpY2F0aW9uL2pzb24ifSwiYWNjZXB0ZWQiOnsic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiZWlwMTU1OjEzMjgiLCJhbW91bnQiOiIxMDAwIiwiYXNzZXQiOiIweDRmY2YxNzg0YjMxNjMwODExMTgxZjY3MGFlYTdhN2JlZjgwM2VhZWQiLCJwYXlUbyI6IjB4YTBlZTdhMTQyZDI2N2MxZjM2NzE0ZTRhOGY3NTYxMmYyMGE3OTcyMCIsIm1heFRpbWVvdXRTZWNvbmRzIjozMDAsImV4dHJhIjp7Im5hbWUiOiJVU0RDIiwidmVyc2lvbiI6IjIifX19',
    proof: {
      kind: 'authorization',
      version: 2,
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
      value: 1_000n,
      validAfter: 0n,
      validBefore: 1795370995n,
      nonce: '0xc08f615275c82c2a0c9428c421a154116b9ad069db730e93073f3065c6b2a7e1',
      signature:
        '0x440322af77dfdbd3820af097a86dcff7c44d07a905e53e841c9e5449900cb5955f6009557f74c086f195d2c4f8880da5755379a4f5eec791063a20e6969fc8c31c',
      resourceUrl: 'http://127.0.0.1:8402/weather?city=Bern',
      accepted: {
        scheme: 'exact',
        network: 'eip155:1328',
        amount: '1000',
        asset: '0x4fcf1784b31630811181f670aea7a7bef803eaed',
        payTo: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      },
    },
  },
  {
    client: '@x402/fetch 2.27.0 (version 1)',
    name: 'x-payment',
    value:
      'eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoic2VpLXRlc3RuZXQiLCJwYXlsb2FkIjp7ImF1dGhvcml6YXRpb24iOnsiZnJvbSI6IjB4ZjM5RmQ2ZTUxYWFkODhGNkY0Y2U2YUI4ODI3Mjc5Y2ZmRmI5MjI2NiIsInRvIjoiMHhhMEVlN0ExNDJkMjY3QzFmMzY3MTRFNGE4Rjc1NjEyRjIwYTc5NzIwIiwidmFsdWUiOiIxMDAwIiwidmFsaWRBZnRlciI6IjE3OTUzNzAwOTUiLCJ2YWxpZEJlZm9yZSI6IjE3OTUzNzA5OTUiLCJub25jZSI6IjB4Y2E5ODhhODQzNjQwZWMwNTc2ZThkZTAzMmU2YjMwN2ViMzA0YzBkNzFmMGI3ZDMzMjZkNjU0YTJjYzk3YzJkMCJ9LCJzaWduYXR1cmUiOiIweGUyNmM5MTdlMTlmOTkyMWU3MTQ2N2MwOGU3ZmZjNWUyYWQ2NTI1YTM2NmEyNjUxMzVhZWQ3NjY5M2FjNjRkODMyMDRiY2I4Njg4N2M1ZWEyM2YzYWRiNThjNjA0OWE2OGE5OTMzNTlkYTdjODUyZjQ4ZTg2OTY1NGIzZTY0MTNjMWMifX0=',
    proof: {
      kind: 'authorization',
      version: 1,
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
      value: 1_000n,
      validAfter: 1795370095n,
      validBefore: 1795370995n,
      nonce: '0xca988a843640ec0576e8de032e6b307eb304c0d71f0b7d3326d654a2cc97c2d0',
      signature:
        '0xe26c917e19f9921e71467c08e7ffc5e2ad6525a366a265135aed76693ac64d83204bcb86887c5ea23f3adb58c6049a68a993359da7c852f48e869654b3e6413c1c',
    },
  },
]
