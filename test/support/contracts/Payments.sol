// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface Token {
    function transfer(address to, uint256 value) external returns (bool);

    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Logs what a payment logs, and moves nothing.
contract Lookalike {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function pretend(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}

/// Moves tokens of its caller, or of who has allowed it to, in one transaction as often as it is told.
contract Mover {
    function move(Token token, address from, address to, uint256 value, uint256 times) external {
        for (uint256 i = 0; i < times; i++) token.transferFrom(from, to, value);
    }

    function moveAndRevert(Token token, address from, address to, uint256 value) external {
        token.transferFrom(from, to, value);
        revert("moved back");
    }
}

/// An EIP-3009 token that says yes to an authorization that was used, and moves nothing: some in use do.
contract SilentToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    string public constant name = "Silent";
    string public constant symbol = "SIL";
    string public constant version = "1";
    uint8 public constant decimals = 6;
    bytes32 public constant TYPEHASH =
        keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    constructor(address holder) {
        balanceOf[holder] = 1e12;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256(bytes(name)),
                    keccak256(bytes(version)),
                    block.chainid,
                    address(this)
                )
            );
    }

    function transfer(address to, uint256 value) external returns (bool) {
        pay(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public {
        if (authorizationState[from][nonce]) return;
        require(block.timestamp > validAfter && block.timestamp < validBefore, "time");
        bytes32 digest = keccak256(
            abi.encodePacked(
                "\x19\x01",
                DOMAIN_SEPARATOR(),
                keccak256(abi.encode(TYPEHASH, from, to, value, validAfter, validBefore, nonce))
            )
        );
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        require(ecrecover(digest, v, r, s) == from, "signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        pay(from, to, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function pay(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
