// Which contacts are swept together.
//
// A batch is four contacts no two of which move the same body, so that four lanes of a vector can take one
// each.  Contacts keep the problem's order as far as that allows: each goes to the earliest of the batches
// still open (a window of some dozens) whose bodies it does not touch.  What finds no place is a single and
// is swept alone, after the batches.
//
// A batch that reads a body just written waits for it.  So a contact also keeps away from the neighbouring
// batches that touch its bodies, if there is another place.
//
// Long runs are cut for several threads.  A breadth-first search over the bodies gives levels, and a contact
// joins bodies of the same or of neighbouring levels.  Consecutive levels make slabs of about as many
// contacts each: a first stage sweeps the slabs, which share no body, a second one the contacts between
// slabs.  Slabs are at least two levels thick, so those between different slabs share no body either.  Two
// stages are two meetings of the threads per sweep, where colours of contacts would need a dozen.
//
// Everything depends on the problem alone, not on threads or instruction sets.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace uptack {

class BatchPlan {
public:
    /// The bodies a contact moves; `immovable` for none.
    struct Contact {
        std::array<int, 2> body{};
        bool alone = false;  ///< does not fit into a batch
        bool operator==(const Contact&) const = default;
    };
    static constexpr int immovable = -1;

    /// Contacts that one thread sweeps: batches, then singles.
    struct Piece {
        int first_batch = 0;
        int batches = 0;
        int first_single = 0;
        int singles = 0;
    };
    /// Pieces that have no body in common.
    struct Stage {
        int first_piece = 0;
        int pieces = 0;
    };

    void clear(std::size_t bodies);
    /// Appends the stages of a run of contacts; returns how many.  Contact i is cell first_cell + i.
    int add(std::span<const Contact> contacts, int first_cell = 0);

    std::span<const Stage> stages() const { return stages_; }
    std::span<const Piece> pieces() const { return pieces_; }
    std::span<const int> lanes() const { return lanes_; }      ///< cells, four per batch
    std::span<const int> singles() const { return singles_; }  ///< cells

private:
    using Contacts = std::span<const Contact>;

    /// Makes the batches and singles of one piece.  Pieces that share no body can be made at the same time.
    class PieceMaker {
    public:
        /// `touching` is zero for every body, and will be again.
        void make(Contacts contacts, std::span<const int> members, std::vector<std::uint64_t>& touching);

        std::vector<int> lanes;    ///< contacts, four per batch
        std::vector<int> singles;  ///< contacts

    private:
        struct Batch {
            std::array<int, 4> contact{};
            int count = 0;
        };
        static constexpr int window = 64;

        void add(int k);
        void close(const Batch& batch);
        std::uint64_t places_of(int body) const;
        int place_for(const Contact& contact, int apart) const;
        void drop_oldest();

        Contacts contacts_;
        std::uint64_t* touching_ = nullptr;  // per body: places of the batches that touch it
        std::array<Batch, window> ring_;     // the open batches and the last closed ones
        std::uint64_t full_ = 0;             // by place in the ring
        int oldest_ = 0;                     // place of the oldest closed batch still in the ring
    };

    int find_levels(Contacts contacts);
    void link_contacts(Contacts contacts);
    int search_from(int body, int level, Contacts contacts);
    int cut_levels(Contacts contacts, int levels);
    void let_go_of_large_scratch();
    void add_slabs(Contacts contacts, int slabs);
    void add_stage(Contacts contacts, int first, int count);
    void append(const PieceMaker& maker);

    std::vector<Stage> stages_;
    std::vector<Piece> pieces_;
    std::vector<int> lanes_;
    std::vector<int> singles_;

    // While a run is cut.
    int first_cell_ = 0;
    std::vector<int> link_start_;  // per body: its contacts are link_[link_start_[b]] ..
    std::vector<int> link_;        // later the contacts, piece by piece
    std::vector<int> level_;       // per body
    std::vector<int> queue_;
    std::vector<int> slab_;  // per level
    std::vector<int> piece_start_;
    std::vector<PieceMaker> makers_;
    std::vector<std::uint64_t> touching_;  // per body, for the makers
};

}  // namespace uptack
