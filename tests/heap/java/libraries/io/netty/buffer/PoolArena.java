package io.netty.buffer;

/** Fields as Netty 4.1 calls its own: an arena has its chunks in lists by how full they are. */
public final class PoolArena {
  private final Pool parent;
  private final PoolChunkList qInit = new PoolChunkList();
  private final PoolChunkList q100 = new PoolChunkList();

  /** Has arenas, which refer to it. */
  public static final class Pool {
    public static final Pool DEFAULT = new Pool();
    private final PoolArena[] arenas = {new PoolArena(this), new PoolArena(this)};

    public int allocate(int bytes) {
      return arenas[0].allocate(bytes);
    }
  }

  PoolArena(Pool parent) {
    this.parent = parent;
  }

  static final class PoolChunkList {
    PoolChunk head;
  }

  static final class PoolChunk {
    final byte[] memory;
    PoolChunk next;

    PoolChunk(byte[] memory) {
      this.memory = memory;
    }
  }

  int allocate(int bytes) {
    PoolChunk chunk = new PoolChunk(new byte[bytes]);
    PoolChunkList list = bytes > 100 ? q100 : qInit;
    chunk.next = list.head;
    list.head = chunk;
    return bytes;
  }
}
