package io.watchfan.loadtest.contract;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What every watcher should have received: one journal per scope.
 *
 * <p>The scopes are fixed at construction. One thread feeds it; readers read the journals. The feeder must tell of a
 * change before anyone can have received it.
 */
public final class Truth {
    private final Map<Scope, ScopeJournal> journals = new LinkedHashMap<>();
    private final Gaps gaps = new Gaps();

    private Truth(Collection<Scope> scopes, int maxEntriesPerScope, boolean objectsKnown) {
        scopes.forEach(scope -> journals.put(scope, new ScopeJournal(scope, maxEntriesPerScope, objectsKnown, gaps)));
    }

    /** A truth that is told of every object and change; each journal retains this many events at least. */
    public static Truth ofChanges(Collection<Scope> scopes, int maxEntriesPerScope) {
        return new Truth(scopes, maxEntriesPerScope, true);
    }

    /**
     * A truth whose journals are fed one by one with the events of their scopes, see {@link JournalFeed}; it knows no
     * objects. Each journal then has a writer of its own.
     */
    public static Truth ofEvents(Collection<Scope> scopes, int maxEntriesPerScope) {
        return new Truth(scopes, maxEntriesPerScope, false);
    }

    /** Of which versions only the outcome could be told; empty unless someone writes it. */
    public Gaps gaps() {
        return gaps;
    }

    /** The journal of a scope; null when the scope was not named at construction. */
    public ScopeJournal journal(Scope scope) {
        return journals.get(scope);
    }

    /** Tells of an object that was there at the start. */
    public void seed(ObjectFacts object) {
        journals.values().forEach(journal -> journal.seed(object));
    }

    /** Tells of a change; see {@link ScopeJournal#append(long, ObjectFacts, ObjectFacts)}. */
    public void change(long version, ObjectFacts before, ObjectFacts after) {
        for (ScopeJournal journal : journals.values()) {
            journal.append(version, before, after);
        }
    }

    /** Says that nothing but what was told happened up to a version. */
    public void advance(long version) {
        for (ScopeJournal journal : journals.values()) {
            journal.advance(version);
        }
    }
}
