package io.watchfan.fanout.store;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * An immutable sorted map of objects by key. Every change gives a new snapshot that shares all but a path of nodes with the
 * old one, so taking a view costs nothing and a reader needs neither lock nor copy.
 *
 * <p>A weight-balanced tree (Adams; parameters of Hirai and Yamamoto, which are proven to keep the balance): lookups, changes
 * and ranks take O(log n). Safe for any thread, since no node is ever written after its construction.
 */
public final class StoreSnapshot {
    /** The snapshot without objects. */
    public static final StoreSnapshot EMPTY = new StoreSnapshot(null);

    private static final int DELTA = 3;
    private static final int GAMMA = 2;

    private final Node root;

    private StoreSnapshot(Node root) {
        this.root = root;
    }

    /** The snapshot of objects that are sorted by key already, each key once; built in O(n). */
    public static StoreSnapshot ofSorted(List<StoredObject> sorted) {
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i - 1).key().compareTo(sorted.get(i).key()) >= 0) {
                throw new IllegalArgumentException("not sorted: " + sorted.get(i - 1) + " before " + sorted.get(i));
            }
        }
        return new StoreSnapshot(build(sorted, 0, sorted.size()));
    }

    private static Node build(List<StoredObject> sorted, int from, int to) {
        if (from == to) {
            return null;
        }
        int middle = (from + to) >>> 1;
        return new Node(sorted.get(middle), build(sorted, from, middle), build(sorted, middle + 1, to));
    }

    /** How many objects there are. */
    public int size() {
        return size(root);
    }

    /** The object of this key, or null. */
    public StoredObject get(ObjectKey key) {
        Node node = root;
        while (node != null) {
            int order = key.compareTo(node.object.key());
            if (order == 0) {
                return node.object;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    /** A snapshot in which {@code object} stands at its key. */
    public StoreSnapshot with(StoredObject object) {
        return new StoreSnapshot(insert(root, object));
    }

    /** A snapshot without an object of this key; this one itself when there is none. */
    public StoreSnapshot without(ObjectKey key) {
        Node changed = remove(root, key);
        return changed == root ? this : new StoreSnapshot(changed);
    }

    /** How many keys are greater than {@code key} ({@code orEqual}: or equal). */
    public int countAfter(ObjectKey key, boolean orEqual) {
        int count = 0;
        Node node = root;
        while (node != null) {
            int order = key.compareTo(node.object.key());
            if (order < 0 || order == 0 && orEqual) {
                count += 1 + size(node.right);
                node = node.left;
            } else {
                node = node.right;
            }
        }
        return count;
    }

    /** All objects in key order. */
    public Iterator<StoredObject> iterator() {
        return new Ascending(root, null);
    }

    /** The objects whose keys are greater than {@code after}, in key order. */
    public Iterator<StoredObject> iteratorAfter(ObjectKey after) {
        return new Ascending(root, after);
    }

    /** The objects of {@code namespace}, in key order. */
    public Iterator<StoredObject> iteratorOf(String namespace) {
        return iteratorOf(namespace, ObjectKey.startOf(namespace));
    }

    /** The objects of {@code namespace} whose keys are greater than {@code after}, in key order. */
    public Iterator<StoredObject> iteratorOf(String namespace, ObjectKey after) {
        ObjectKey start = ObjectKey.startOf(namespace);
        return new Within(iteratorAfter(after.compareTo(start) < 0 ? start : after), namespace);
    }

    private static int size(Node node) {
        return node == null ? 0 : node.size;
    }

    private static int weight(Node node) {
        return size(node) + 1;
    }

    private static Node insert(Node node, StoredObject object) {
        if (node == null) {
            return new Node(object, null, null);
        }
        int order = object.key().compareTo(node.object.key());
        if (order == 0) {
            return new Node(object, node.left, node.right);
        }
        return order < 0
                ? balance(node.object, insert(node.left, object), node.right)
                : balance(node.object, node.left, insert(node.right, object));
    }

    private static Node remove(Node node, ObjectKey key) {
        if (node == null) {
            return null;
        }
        int order = key.compareTo(node.object.key());
        if (order == 0) {
            return glue(node.left, node.right);
        }
        if (order < 0) {
            Node left = remove(node.left, key);
            return left == node.left ? node : balance(node.object, left, node.right);
        }
        Node right = remove(node.right, key);
        return right == node.right ? node : balance(node.object, node.left, right);
    }

    /** Joins two trees, all keys of the first being less, that were siblings. */
    private static Node glue(Node left, Node right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        if (size(left) > size(right)) {
            Node last = left;
            while (last.right != null) {
                last = last.right;
            }
            return balance(last.object, remove(left, last.object.key()), right);
        }
        Node first = right;
        while (first.left != null) {
            first = first.left;
        }
        return balance(first.object, left, remove(right, first.object.key()));
    }

    /** A balanced tree of these parts, of which one side has changed by at most one object. */
    private static Node balance(StoredObject object, Node left, Node right) {
        if (weight(right) > DELTA * weight(left)) {
            Node middle = right.left;
            if (weight(middle) < GAMMA * weight(right.right)) {
                return new Node(right.object, new Node(object, left, middle), right.right);
            }
            return new Node(
                    middle.object,
                    new Node(object, left, middle.left),
                    new Node(right.object, middle.right, right.right));
        }
        if (weight(left) > DELTA * weight(right)) {
            Node middle = left.right;
            if (weight(middle) < GAMMA * weight(left.left)) {
                return new Node(left.object, left.left, new Node(object, middle, right));
            }
            return new Node(
                    middle.object,
                    new Node(left.object, left.left, middle.left),
                    new Node(object, middle.right, right));
        }
        return new Node(object, left, right);
    }

    private static final class Node {
        final StoredObject object;
        final Node left;
        final Node right;
        final int size;

        Node(StoredObject object, Node left, Node right) {
            this.object = object;
            this.left = left;
            this.right = right;
            this.size = 1 + StoreSnapshot.size(left) + StoreSnapshot.size(right);
        }
    }

    private static final class Ascending implements Iterator<StoredObject> {
        /** The nodes still to be given, next on top; what is right of each follows it. */
        private final ArrayDeque<Node> path = new ArrayDeque<>();

        Ascending(Node root, ObjectKey after) {
            Node node = root;
            while (node != null) {
                if (after == null || after.compareTo(node.object.key()) < 0) {
                    path.push(node);
                    node = node.left;
                } else {
                    node = node.right;
                }
            }
        }

        @Override
        public boolean hasNext() {
            return !path.isEmpty();
        }

        @Override
        public StoredObject next() {
            if (path.isEmpty()) {
                throw new NoSuchElementException();
            }
            Node node = path.pop();
            for (Node below = node.right; below != null; below = below.left) {
                path.push(below);
            }
            return node.object;
        }
    }

    /** The objects of one namespace, which stand together, from where the given ones begin. */
    private static final class Within implements Iterator<StoredObject> {
        private final Iterator<StoredObject> all;
        private final String namespace;
        private StoredObject next;

        Within(Iterator<StoredObject> all, String namespace) {
            this.all = all;
            this.namespace = namespace;
            advance();
        }

        private void advance() {
            next = all.hasNext() ? all.next() : null;
            if (next != null && !next.namespace().equals(namespace)) {
                next = null;
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public StoredObject next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            StoredObject current = next;
            advance();
            return current;
        }
    }
}
