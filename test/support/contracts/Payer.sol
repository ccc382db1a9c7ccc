// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

function signerOf(bytes32 digest, bytes calldata signature) pure returns (address) {
    if (signature.length != 65) return address(0);
    bytes32 s = bytes32(signature[32:64]);
    // Half of the order of the curve: of two signatures of a digest the one with the lower s is taken.
    if (uint256(s) > 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0) return address(0);
    return ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), s);
}

/// Signs what its owner signs (ERC-1271).
contract OwnedPayer {
    address public immutable owner;

    constructor(address who) {
        owner = who;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return signerOf(digest, signature) == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Code that an account is delegated to (EIP-7702): signs what the account's own key signs.
contract SelfPayer {
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return signerOf(digest, signature) == address(this) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Answers whatever it is asked with the bytes it was made with.
contract Parrot {
    bytes private answer;

    constructor(bytes memory given) {
        answer = given;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return answer;
    }
}
