"""Ed25519 signatures of receipts, with keys that their owner keeps.

``receipt.sign(read_private_key(path))`` signs a receipt; ``receipt.verify`` with ``public_key=read_public_key(path)``
checks the signature. OpenSSL makes the keys, as the guide on receipts shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from formwright._extras import needs
from formwright.errors import ArgumentError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["Signature", "has_signed", "read_private_key", "read_public_key", "sign"]

ALGORITHM = "ed25519"


class Signature(NamedTuple):
    """A signature of all that a receipt says.

    Attributes:
        algorithm: ``"ed25519"``.
        public_key: The key that checks it: 32 bytes as hexadecimal digits.
        value: The signature: 64 bytes as hexadecimal digits.
    """

    algorithm: str
    public_key: str
    value: str


def sign(data: bytes, key: Ed25519PrivateKey) -> Signature:
    """Sign bytes."""
    return Signature(ALGORITHM, key.public_key().public_bytes_raw().hex(), key.sign(data).hex())


def has_signed(signature: Signature, data: bytes, public_key: Ed25519PublicKey | None) -> bool:
    """Whether the owner of a key has signed these bytes.

    Args:
        signature: The signature.
        data: What was signed.
        public_key: The key of the one who should have signed; ``None`` takes the key that the signature names.

    Raises:
        MissingDependency: cryptography is not installed.
    """
    with needs("receipts", "a signature"):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    if signature.algorithm != ALGORITHM:
        return False
    try:
        named = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        (named if public_key is None else public_key).verify(bytes.fromhex(signature.value), data)
    except (InvalidSignature, ValueError):
        return False
    return public_key is None or named.public_bytes_raw() == public_key.public_bytes_raw()


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """Read an unencrypted private key in PEM. Raises ArgumentError, MissingDependency."""
    with needs("receipts", "a signature"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(f"{path} holds no private key: {error}", hint=_MAKE, argument="key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ArgumentError(f"{path} holds a key of another kind than Ed25519", hint=_MAKE, argument="key")
    return key


def read_public_key(path: Path) -> Ed25519PublicKey:
    """Read a public key in PEM. Raises ArgumentError, MissingDependency."""
    with needs("receipts", "a signature"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    try:
        key = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(f"{path} holds no public key: {error}", hint=_MAKE, argument="public_key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ArgumentError(f"{path} holds a key of another kind than Ed25519", hint=_MAKE, argument="public_key")
    return key


_MAKE = "openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem"
