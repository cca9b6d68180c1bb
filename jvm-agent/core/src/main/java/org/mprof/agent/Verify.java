package org.mprof.agent;

/**
 * The R_n-only run: after a few records to warm up, one record of the plan is handed to the user's
 * code, in a heap that is as full as it was in the job, and the attempt then fails, marked, before
 * it can commit.
 *
 * <p>Order of calls: for each record {@link #wanted} until it says yes, and where it does not
 * {@link #warmsUp}, and {@link #handing} before one that does is handed over; {@link #met} before
 * the wanted record is (it makes the probe before R_n, and the room); then {@link #survived} when
 * the user's code returned (the probe after), or {@link #failed}; {@link #notMet} when the input
 * ended without the record; {@link #groupTotal} once the rest of its group was drained; at last
 * {@link #failAttempt} from a row that may fail the task.
 *
 * <p>The records to warm up are the first ones of the input. What the user's code loads once, and
 * the JVM with it, is there before R_n then, and is not taken for R_n's.
 *
 * <p>The record after those is the control record: an ordinary one, in the room that R_n will have.
 * Where it dies there, so does any record, and that R_n does proves nothing of R_n.
 *
 * <p>A plan that names no record makes a verify attempt that only counts: nothing at all is handed
 * over, and {@link #counted} tells of the groups of its partition.
 */
public final class Verify {
  private static final String NEVER_COMMITS = "; this attempt never commits";

  /** Of the records to warm up together: no further one is handed over after that. */
  private static final long MOST_WARM_UP_BYTES = 256 * 1024;

  private static boolean active;
  private static String place = "";
  private static long record = Position.UNKNOWN;
  private static long digest = Position.UNKNOWN;
  private static long group = Position.UNKNOWN;
  private static int holdSeconds;
  private static long live = Position.UNKNOWN;
  private static String liveIs = "";
  private static int mostWarmUp;
  private static int warmUp;
  private static boolean roomMade;

  /** The control was chosen; it is the next record to be handed over that warms up. */
  private static boolean controlIsNext;

  private static boolean controlGiven;

  /** The thread that was given the control, and has not come back from it. */
  private static volatile Thread control;

  private static boolean controlHasBallast;

  private static volatile boolean warmUpFailed;
  private static MarkedFailure prepared;
  private static volatile boolean met;
  private static volatile String outcome = "the record was not met";

  private Verify() {}

  static void configure(Plan plan) {
    active = plan.mode() == Mode.VERIFY;
    place = plan.verifyPlace();
    record = plan.verifyRecord();
    digest = plan.verifyDigest();
    group = plan.verifyGroup();
    holdSeconds = plan.verifyHoldSeconds();
    live = plan.verifyLive();
    liveIs = plan.verifyLiveIs();
    mostWarmUp = plan.verifyWarmUp();
    warmUp = 0;
    roomMade = false;
    controlIsNext = false;
    controlGiven = false;
    control = null;
    warmUpFailed = false;
    met = false;
    prepared = active ? new MarkedFailure("memory ran out" + NEVER_COMMITS) : null;
    if (countsOnly()) {
      outcome =
          LeaveOut.active()
              ? "the record or group was left out"
              : "the groups of this partition were counted";
    }
  }

  /** Whether this attempt is a verify attempt. */
  public static boolean active() {
    return active;
  }

  /** Whether this is a verify attempt for {@code map}, {@code reduce} or {@code combine}. */
  public static boolean in(String where) {
    return active && place.equals(where);
  }

  /** Whether no record is wanted: the groups are counted, the user's code gets none of them. */
  static boolean countsOnly() {
    return active && record == Position.UNKNOWN && digest == Position.UNKNOWN;
  }

  /** Digest of the key of the wanted record's group; {@link Position#UNKNOWN} in map(). */
  public static long group() {
    return group;
  }

  /** Whether the wanted record was handed over already; every other one is to be discarded. */
  public static boolean done() {
    return met;
  }

  /**
   * Whether this record is the one to hand over: by ordinal in map(), by digest in combine() and
   * reduce(). Always false once it was met, so that of equal records only the first is handed over.
   *
   * @param ordinal 1-based ordinal of the record, used in map() only
   * @param groupDigest digest of its key, or not known
   * @param recordDigest digest of key and value, or not known
   */
  public static boolean wanted(long ordinal, long groupDigest, long recordDigest) {
    if (!active || met || countsOnly()) {
      return false;
    }
    if (digest == Position.UNKNOWN) {
      return ordinal == record;
    }
    return recordDigest == digest && (group == Position.UNKNOWN || groupDigest == group);
  }

  /**
   * Whether a record that is not the wanted one is handed over all the same, to warm up or as the
   * control; counts it.
   *
   * @param bytes of the records handed over to warm up so far, or not known
   */
  public static boolean warmsUp(long bytes) {
    if (!active || met || countsOnly()) {
      return false;
    }
    boolean warm = warmUp >= mostWarmUp || bytes >= MOST_WARM_UP_BYTES;
    if (warm || isLastBeforeIt()) {
      if (controlGiven || warmUp == 0 || live == Position.UNKNOWN) {
        return !warm && countsAsWarmUp();
      }
      controlGiven = true;
      controlIsNext = true;
      return true;
    }
    return countsAsWarmUp();
  }

  private static boolean countsAsWarmUp() {
    warmUp++;
    return true;
  }

  /** In map(), where ordinals say so. */
  private static boolean isLastBeforeIt() {
    return digest == Position.UNKNOWN && warmUp + 2 == record;
  }

  /** A record that warms up is about to be handed over; the one before is done with. */
  public static void handing() {
    controlReturned();
    if (controlIsNext) {
      controlIsNext = false;
      if (SameRoom.make("control", live, liveIs, false)) {
        // Without ballast where as much is live as in the job already.
        controlHasBallast = Ballast.isHeld();
        control = Thread.currentThread();
      }
    }
  }

  /** The calling thread is done with the record that it was given, if that was the control. */
  public static void controlReturned() {
    if (control == null || control != Thread.currentThread()) {
      return;
    }
    control = null;
    try {
      boolean lost = controlHasBallast && !Ballast.isHeld();
      Ballast.release();
      EventLine line = Events.line("verify").put("step", "control_survived");
      if (lost) {
        line.put("room_lost", true);
      }
      line.at().write();
    } catch (Throwable fault) {
      Faults.caught(fault, "verify");
    }
  }

  /** The user's code failed at a record to warm up; the wanted one is not met in this attempt. */
  public static void warmUpFailed(Throwable error) {
    if (active && !met && warmUp > 0 && !warmUpFailed) {
      Ballast.release();
      warmUpFailed = true;
      outcome = "a record to warm up failed: " + error.getClass().getName();
      EventLine line = failing("warm_up_failed", error).put("warm_up", warmUp);
      if (control == Thread.currentThread()) {
        line.put("control", true);
      }
      line.at().write();
    }
  }

  /** The wanted record is about to be handed over: event, position, probe, room. */
  public static void met(long ordinal, long recordDigest) {
    controlReturned();
    control = null;
    Ballast.release();
    met = true;
    outcome = "the user's code did not return from the record";
    Position.put(Position.VERIFIED, 1);
    Position.touch();
    Events.line("verify")
        .put("step", "met")
        .putKnown("ordinal", ordinal)
        .digest("digest", recordDigest)
        .put("warm_up", warmUp)
        .at()
        .write();
    boolean collected = Probes.verifyProbe("verify_before", ordinal);
    roomMade = SameRoom.make("room", live, liveIs, collected) && Ballast.isHeld();
  }

  /** The user's code returned from the record. */
  public static void survived() {
    if (active && met) {
      outcome = "the record was survived";
      EventLine line = Events.line("verify").put("step", "survived");
      if (roomMade && !Ballast.isHeld()) {
        // An error that this code has lived with: what came after it had more room.
        line.put("room_lost", true);
      }
      line.at().write();
      Ballast.release();
      Probes.verifyProbe("verify_after", Position.UNKNOWN);
    }
  }

  /** The user's code, or the reader, failed while the record was in flight. */
  public static void failed(Throwable error) {
    if (active) {
      Ballast.release();
      outcome = "the record failed: " + error.getClass().getName();
      failing("failed", error).at().write();
    }
  }

  private static EventLine failing(String step, Throwable error) {
    return Events.line("verify")
        .put("step", step)
        .put("class", error.getClass().getName())
        .put("message", error.getMessage());
  }

  /** The input ended and the record had not been met; without effect where it had. */
  public static void notMet() {
    if (active && !met && !countsOnly()) {
      Events.line("verify")
          .put("step", "not_met")
          .putKnown("ordinal", record)
          .digest("digest", digest)
          .at()
          .write();
    }
  }

  /**
   * The wanted record's group counted, and the other groups of its pass or partition.
   *
   * @param end whether that pass or partition was read to its end, so that no group is missing
   */
  public static void groupTotal(GroupTotal group, OtherGroups others, boolean end) {
    if (active) {
      EventLine line = Events.line("verify").put("step", "group_total").put("end", end);
      group.writeTo(line);
      others.writeTo(line, "others");
      line.write();
    }
  }

  /** The groups of a partition in which the wanted record's group was not, or none was wanted. */
  public static void counted(OtherGroups others, boolean end) {
    if (active) {
      EventLine line = Events.line("verify").put("step", "counted").put("end", end);
      others.writeTo(line, "others");
      line.write();
    }
  }

  /**
   * Ends a verify attempt: throws {@link MarkedFailure} in verify mode, else does nothing.
   *
   * <p>The first attempt that fails ends the job, and with it the other attempts of the same plan;
   * one that is done waits for those as long as the plan says, or until its container is killed.
   */
  public static void failAttempt() {
    if (active) {
      try {
        Ending.failed();
        hold();
      } catch (Throwable fault) {
        Faults.caught(fault, "verify");
      }
      throw failure();
    }
  }

  /** With what became of the record, if the heap has room for that. */
  private static MarkedFailure failure() {
    try {
      return new MarkedFailure(outcome + NEVER_COMMITS);
    } catch (Throwable fault) {
      return prepared;
    }
  }

  private static void hold() {
    if (holdSeconds <= 0) {
      return;
    }
    try {
      Copying.soon();
      Thread.sleep(holdSeconds * 1000L);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      Faults.caught(e, "verify");
    }
  }
}
